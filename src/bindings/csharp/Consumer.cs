// Pharos for C#: consumers and batches. Spans of a batch are over the library's memory; nothing is copied.
using System;

namespace Pharos
{
    /// <summary>Takes batches; one thread at a time.</summary>
    public sealed unsafe class Consumer : IDisposable
    {
        internal readonly ConsumerHandle Handle;
        private readonly World world;
        private bool isClosed;

        internal bool IsOpen
        {
            get { return !isClosed && world.IsOpen; }
        }

        internal Consumer(World of, uint index)
        {
            ConsumerHandle made;
            PharosException.Check(Native.ph_consumer_open(of.Handle, index, &made));
            Handle = made;
            world = of;
        }

        /// <summary>Closes it; batches taken come back.</summary>
        public void Dispose()
        {
            if (!isClosed) Native.ph_consumer_close(Handle);
            isClosed = true;
        }

        /// <summary>The oldest batch, or null.</summary>
        public Batch Take()
        {
            BatchRecord* batch;
            Status status = Native.ph_batch_take(Handle, &batch);
            if (status == Status.PH_EMPTY || status == Status.PH_PENDING) return null;
            PharosException.Check(status);
            return new Batch(this, batch);
        }
    }

    /// <summary>
    /// One tick's events. A span is valid until Dispose of the batch, its consumer or its world: copy what lives longer.
    /// </summary>
    public sealed unsafe class Batch : IDisposable
    {
        private readonly Consumer consumer;
        private BatchRecord* record;

        internal Batch(Consumer of, BatchRecord* taken)
        {
            consumer = of;
            record = taken;
        }

        /// <summary>The C record.</summary>
        public BatchRecord* Record
        {
            get
            {
                if (record == null || !consumer.IsOpen) throw new ObjectDisposedException("Batch");
                return record;
            }
        }

        public ulong Tick { get { return Record->Tick; } }
        public ulong TickFirst { get { return Record->TickFirst; } }
        public ulong Dropped { get { return Record->Dropped; } }

        public ReadOnlySpan<Change> Changes
        {
            get { return new ReadOnlySpan<Change>(Record->Changes, (int)Record->ChangeCount); }
        }

        public ReadOnlySpan<Target> Targets
        {
            get { return new ReadOnlySpan<Target>(Record->Targets, (int)Record->TargetCount); }
        }

        public ReadOnlySpan<ushort> Kinds
        {
            get { return new ReadOnlySpan<ushort>(Record->Kinds, (int)Record->TargetCount); }
        }

        /// <summary>Beside Targets: PH_CAUSE_...; Texts.CauseName has the words.</summary>
        public ReadOnlySpan<byte> Causes
        {
            get { return new ReadOnlySpan<byte>(Record->Causes, (int)Record->TargetCount); }
        }

        /// <summary>Beside Targets, of enters; empty: the definition leaves them out.</summary>
        public ReadOnlySpan<Position> Positions
        {
            get
            {
                return new ReadOnlySpan<Position>(Record->Positions, Record->Positions == null ? 0 : (int)Record->TargetCount);
            }
        }

        public ReadOnlySpan<Message> Messages
        {
            get { return new ReadOnlySpan<Message>(Record->Messages, (int)Record->MessageCount); }
        }

        /// <summary>Places in Messages, of deliveries.</summary>
        public ReadOnlySpan<uint> Heard
        {
            get { return new ReadOnlySpan<uint>(Record->Heard, (int)Record->HeardCount); }
        }

        public ReadOnlySpan<Delivery> Deliveries
        {
            get { return new ReadOnlySpan<Delivery>(Record->Deliveries, (int)Record->DeliveryCount); }
        }

        public ReadOnlySpan<Update> Updates
        {
            get { return new ReadOnlySpan<Update>(Record->Updates, (int)Record->UpdateCount); }
        }

        /// <summary>Places in Moved, of updates.</summary>
        public ReadOnlySpan<uint> Due
        {
            get { return new ReadOnlySpan<uint>(Record->Due, (int)Record->DueCount); }
        }

        /// <summary>Bands of the targets, beside Due.</summary>
        public ReadOnlySpan<byte> Bands
        {
            get { return new ReadOnlySpan<byte>(Record->Bands, (int)Record->DueCount); }
        }

        public ReadOnlySpan<Moved> Moved
        {
            get { return new ReadOnlySpan<Moved>(Record->Moved, (int)Record->MovedCount); }
        }

        public ReadOnlySpan<Edge> Activations
        {
            get { return new ReadOnlySpan<Edge>(Record->Activations, (int)Record->ActivationCount); }
        }

        public ReadOnlySpan<Edge> Crossings
        {
            get { return new ReadOnlySpan<Edge>(Record->Crossings, (int)Record->CrossingCount); }
        }

        /// <summary>Targets that left the list of the change's observer.</summary>
        public ReadOnlySpan<Target> Leaves(Change change)
        {
            return Targets.Slice((int)change.First, (int)change.LeaveCount);
        }

        /// <summary>Targets that entered it.</summary>
        public ReadOnlySpan<Target> Enters(Change change)
        {
            return Targets.Slice((int)(change.First + change.LeaveCount), (int)change.EnterCount);
        }

        /// <summary>The causes of Leaves.</summary>
        public ReadOnlySpan<byte> LeaveCauses(Change change)
        {
            return Causes.Slice((int)change.First, (int)change.LeaveCount);
        }

        /// <summary>The causes of Enters.</summary>
        public ReadOnlySpan<byte> EnterCauses(Change change)
        {
            return Causes.Slice((int)(change.First + change.LeaveCount), (int)change.EnterCount);
        }

        /// <summary>The places of Enters; empty: the definition leaves them out.</summary>
        public ReadOnlySpan<Position> EnterPositions(Change change)
        {
            ReadOnlySpan<Position> all = Positions;
            return all.IsEmpty ? all : all.Slice((int)(change.First + change.LeaveCount), (int)change.EnterCount);
        }

        /// <summary>The message at a place of a delivery.</summary>
        public Message MessageOf(Delivery delivery, int place)
        {
            return Messages[(int)Heard.Slice((int)delivery.First, (int)delivery.Count)[place]];
        }

        public ReadOnlySpan<byte> Payload(Message message)
        {
            return new ReadOnlySpan<byte>(Record->Payload, (int)Record->PayloadBytes).Slice((int)message.First, (int)message.Bytes);
        }

        /// <summary>The moved target at a place of an update.</summary>
        public Moved MovedOf(Update update, int place)
        {
            return Moved[(int)Due.Slice((int)update.First, (int)update.Count)[place]];
        }

        /// <summary>Its band for the observer.</summary>
        public byte BandOf(Update update, int place)
        {
            return Bands.Slice((int)update.First, (int)update.Count)[place];
        }

        /// <summary>Gives the batch back. Again: nothing.</summary>
        public void Dispose()
        {
            if (record != null && consumer.IsOpen) Native.ph_batch_return(consumer.Handle, record);
            record = null;
        }
    }
}
