/*
 * Fresh changes of empty lists. An observer that entered, became ready or got another consumer in this tick gets
 * PH_CHANGE_FRESH also if its list is empty, so that a client knows that it is. The interest phase makes no change
 * without events, so these changes are added behind it. By the ticking thread.
 */
#ifndef PHX_WORLD_PUBLISH_BEGINNERS_H
#define PHX_WORLD_PUBLISH_BEGINNERS_H

#include "world/state/world.h"

/* Adds a change without targets for each beginner without a change. false = no memory: call again. */
bool phx_publish_beginners(phx_world *world);

#endif
