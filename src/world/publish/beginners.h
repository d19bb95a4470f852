/*
 * First changes of empty lists. An observer that entered, became ready or was given another consumer in this tick is
 * told PH_CHANGE_FRESH also where its list is empty, so that a client knows that it is. The interest phase makes no
 * change where nothing is told, so these are added behind it. The ticking thread's.
 */
#ifndef PHX_WORLD_PUBLISH_BEGINNERS_H
#define PHX_WORLD_PUBLISH_BEGINNERS_H

#include "world/state/world.h"

/* Adds a change without targets for each beginner without any. false = no memory: call again. */
bool phx_publish_beginners(phx_world *world);

#endif
