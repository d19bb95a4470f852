// Pharos for C#: producers. A command gives its status: PH_FULL is no exception.
using System;
using System.Runtime.InteropServices;

namespace Pharos
{
    /// <summary>Submits commands; one thread at a time.</summary>
    public sealed unsafe class Producer : IDisposable
    {
        private readonly ProducerHandle handle;

        internal Producer(World world)
        {
            ProducerHandle made;
            PharosException.Check(Native.ph_producer_open(world.Handle, &made));
            handle = made;
        }

        /// <summary>Closes it; the next tick still applies its commands.</summary>
        public void Dispose()
        {
            Native.ph_producer_close(handle);
        }

        /// <summary>Attributes with a place on the ground.</summary>
        public static Attrs At(float x, float y)
        {
            return new Attrs().WithX(x).WithY(y);
        }

        public Status Enter(ulong id, Attrs attrs)
        {
            return Native.ph_enter(handle, id, &attrs);
        }

        public Status Set(ulong id, Attrs attrs)
        {
            return Native.ph_set(handle, id, &attrs);
        }

        public Status Leave(ulong id)
        {
            return Native.ph_leave(handle, id);
        }

        public Status Move(ulong id, float x, float y, float z = 0)
        {
            return Native.ph_move(handle, id, x, y, z);
        }

        /// <summary>Moves ids[i] to positions[i], as many as both have; done: the number queued or refused.</summary>
        public Status MoveMany(ReadOnlySpan<ulong> ids, ReadOnlySpan<Position> positions, out int done)
        {
            uint count = (uint)Math.Min(ids.Length, positions.Length), finished = 0;
            fixed (ulong* id = &MemoryMarshal.GetReference(ids))
            fixed (Position* position = &MemoryMarshal.GetReference(positions))
            {
                Status status = Native.ph_move_many(handle, count, id, position, &finished);
                done = (int)finished;
                return status;
            }
        }

        /// <summary>Brings ids[i] with attrs[i], as many as both have; done: the number queued or refused.</summary>
        public Status EnterMany(ReadOnlySpan<ulong> ids, ReadOnlySpan<Attrs> attrs, out int done)
        {
            uint count = (uint)Math.Min(ids.Length, attrs.Length), finished = 0;
            fixed (ulong* id = &MemoryMarshal.GetReference(ids))
            fixed (Attrs* attr = &MemoryMarshal.GetReference(attrs))
            {
                Status status = Native.ph_enter_many(handle, count, id, attr, &finished);
                done = (int)finished;
                return status;
            }
        }

        public Status Pair(ulong observer, ulong target, float view, float margin)
        {
            return Native.ph_pair(handle, observer, target, view, margin);
        }

        public Status Unpair(ulong observer, ulong target)
        {
            return Native.ph_unpair(handle, observer, target);
        }

        public Status Link(ulong observer, ulong target)
        {
            return Native.ph_link(handle, observer, target);
        }

        public Status Unlink(ulong observer, ulong target)
        {
            return Native.ph_unlink(handle, observer, target);
        }

        public Status Hide(ulong observer, ulong target)
        {
            return Native.ph_hide(handle, observer, target);
        }

        public Status Unhide(ulong observer, ulong target)
        {
            return Native.ph_unhide(handle, observer, target);
        }

        public Status Reveal(ulong observer, ulong target)
        {
            return Native.ph_reveal(handle, observer, target);
        }

        public Status Unreveal(ulong observer, ulong target)
        {
            return Native.ph_unreveal(handle, observer, target);
        }

        public Status Attach(ulong child, ulong parent)
        {
            return Native.ph_attach(handle, child, parent);
        }

        public Status Detach(ulong child)
        {
            return Native.ph_detach(handle, child);
        }

        /// <summary>The observer's next change has its whole list.</summary>
        public Status Resend(ulong observer)
        {
            return Native.ph_resend(handle, observer);
        }

        /// <summary>All observers of the source get the payload.</summary>
        public Status Broadcast(ulong source, ReadOnlySpan<byte> payload)
        {
            return Broadcast(source, payload, new BroadcastOptions());
        }

        /// <summary>The same with options, to observers of these kinds only if there are any.</summary>
        public Status Broadcast(ulong source, ReadOnlySpan<byte> payload, BroadcastOptions options, params uint[] kinds)
        {
            fixed (uint* kind = kinds)
            fixed (byte* first = &MemoryMarshal.GetReference(payload))
            {
                options.Kinds = kind;
                options.KindCount = (uint)kinds.Length;
                return Native.ph_broadcast(handle, source, first, (uint)payload.Length, &options);
            }
        }

        /// <summary>The observers around a place get the payload, of these kinds only if there are any.</summary>
        public Status BroadcastAt(BroadcastPlace place, ReadOnlySpan<byte> payload, params uint[] kinds)
        {
            fixed (uint* kind = kinds)
            fixed (byte* first = &MemoryMarshal.GetReference(payload))
            {
                place.Kinds = kind;
                place.KindCount = (uint)kinds.Length;
                return Native.ph_broadcast_at(handle, &place, first, (uint)payload.Length);
            }
        }

        public Status AreaSet(ulong area, Area shape)
        {
            return Native.ph_area_set(handle, area, &shape);
        }

        public Status AreaRemove(ulong area)
        {
            return Native.ph_area_remove(handle, area);
        }

        /// <summary>The number of the last command.</summary>
        public ulong Sequence()
        {
            ulong sequence;
            PharosException.Check(Native.ph_producer_sequence(handle, &sequence));
            return sequence;
        }

        /// <summary>The first refusal that waits.</summary>
        public bool NextRefusal(out Refusal refusal)
        {
            uint count = 0;
            Refusal first;
            Status status = Native.ph_producer_refusals(handle, &first, 1, &count);
            bool has = status == Status.PH_OK && count == 1;
            refusal = has ? first : new Refusal();
            return has;
        }
    }
}
