// Pharos for C#: worlds. Records and rules are those of <pharos/pharos.h>; Native.cs has every call of C.
using System;
using System.Text;

namespace Pharos
{
    /// <summary>A call was refused, other than a command.</summary>
    public sealed class PharosException : Exception
    {
        public Status Status { get; }

        public PharosException(Status status, string reason = null) : base(reason ?? Texts.Sentence(status))
        {
            Status = status;
        }

        internal static void Check(Status status)
        {
            if (status != Status.PH_OK) throw new PharosException(status);
        }
    }

    /// <summary>Texts of the library.</summary>
    public static unsafe class Texts
    {
        /// <summary>A status' sentence.</summary>
        public static string Sentence(Status status)
        {
            return status + ": " + FromC(Native.ph_status_text(status));
        }

        /// <summary>The word of a cause: "range".</summary>
        public static string CauseName(byte cause)
        {
            return FromC(Native.ph_cause_name(cause));
        }

        public static string Version()
        {
            return FromC(Native.ph_version());
        }

        internal static string FromC(byte* text)
        {
            int length = 0;
            while (text[length] != 0) length++;
            return Encoding.UTF8.GetString(text, length);
        }

        internal static byte[] ToC(string text)
        {
            byte[] bytes = new byte[Encoding.UTF8.GetByteCount(text) + 1];
            Encoding.UTF8.GetBytes(text, 0, text.Length, bytes, 0);
            return bytes;
        }
    }

    /// <summary>A world; one thread at a time calls Tick, Apply and Dispose.</summary>
    public sealed unsafe class World : IDisposable
    {
        private const int ReasonSize = 256;

        /// <summary>The C handle, for calls that have no method here.</summary>
        public WorldHandle Handle { get; private set; }

        internal bool IsOpen { get; private set; }

        /// <summary>A definition with every field at its default.</summary>
        public static WorldDef DefaultDef()
        {
            return Native.ph_world_def_default();
        }

        /// <summary>A class with every field at its default.</summary>
        public static Class DefaultClass(string name)
        {
            fixed (byte* text = Texts.ToC(name)) return Native.ph_class_default(text);
        }

        /// <summary>Makes a world; without classes it has the class "default". Throws PharosException.</summary>
        public World(WorldDef def, params Class[] classes)
        {
            if (classes.Length == 0) classes = new[] { DefaultClass("default") };
            fixed (Class* first = classes)
            {
                byte* reason = stackalloc byte[ReasonSize];
                def.Classes = first;
                def.ClassCount = (uint)classes.Length;
                Status status = Native.ph_world_def_check(&def, reason, (UIntPtr)ReasonSize);
                if (status != Status.PH_OK) throw new PharosException(status, Texts.FromC(reason));
                WorldHandle handle;
                PharosException.Check(Native.ph_world_create(&def, &handle));
                Handle = handle;
                IsOpen = true;
            }
        }

        /// <summary>Destroys the world: its producers and consumers are closed, its batches are gone.</summary>
        public void Dispose()
        {
            if (!IsOpen) return;
            PharosException.Check(Native.ph_world_destroy(Handle));
            IsOpen = false;
        }

        /// <summary>Runs a tick; gives its number.</summary>
        public ulong Tick()
        {
            ulong tick;
            PharosException.Check(Native.ph_tick(Handle, &tick));
            return tick;
        }

        /// <summary>Finishes a tick that stopped with PH_NO_MEMORY.</summary>
        public ulong TickFinish()
        {
            ulong tick;
            PharosException.Check(Native.ph_tick_finish(Handle, &tick));
            return tick;
        }

        /// <summary>Applies the commands submitted before, for queries alone.</summary>
        public void Apply()
        {
            PharosException.Check(Native.ph_apply(Handle));
        }

        /// <summary>Changes the fields that may change while the world lives.</summary>
        public void Reconfigure(WorldDef def, params Class[] classes)
        {
            fixed (Class* first = classes)
            {
                byte* reason = stackalloc byte[ReasonSize];
                def.Classes = first;
                def.ClassCount = (uint)classes.Length;
                Status status = Native.ph_world_reconfigure(Handle, &def, reason, (UIntPtr)ReasonSize);
                if (status == Status.PH_BAD_DEF || status == Status.PH_NOT_LIVE)
                    throw new PharosException(status, Texts.FromC(reason));
                PharosException.Check(status);
            }
        }

        public Producer OpenProducer()
        {
            return new Producer(this);
        }

        public Consumer OpenConsumer(uint index)
        {
            return new Consumer(this, index);
        }

        public bool Sees(ulong observer, ulong target)
        {
            byte sees;
            PharosException.Check(Native.ph_sees(Handle, observer, target, &sees));
            return sees != 0;
        }

        /// <summary>The observer's list.</summary>
        public ulong[] List(ulong observer)
        {
            uint count;
            PharosException.Check(Native.ph_list(Handle, observer, null, 0, &count));
            ulong[] ids = new ulong[count];
            fixed (ulong* first = ids) PharosException.Check(Native.ph_list(Handle, observer, first, count, &count));
            return ids;
        }

        /// <summary>The observers that have the target in their lists.</summary>
        public ulong[] Observers(ulong target)
        {
            uint count;
            PharosException.Check(Native.ph_observers(Handle, target, null, 0, &count));
            ulong[] ids = new ulong[count];
            fixed (ulong* first = ids) PharosException.Check(Native.ph_observers(Handle, target, first, count, &count));
            return ids;
        }

        public Attrs Entity(ulong id)
        {
            Attrs attrs;
            PharosException.Check(Native.ph_entity_get(Handle, id, &attrs));
            return attrs;
        }

        /// <summary>The entities in a place, of these kinds only if there are any.</summary>
        public Hit[] Find(Query query, params uint[] kinds)
        {
            fixed (uint* first = kinds)
            {
                uint count;
                query.Kinds = first;
                query.KindCount = (uint)kinds.Length;
                PharosException.Check(Native.ph_find(Handle, &query, null, 0, &count));
                Hit[] hits = new Hit[count];
                fixed (Hit* hit = hits) PharosException.Check(Native.ph_find(Handle, &query, hit, count, &count));
                return hits;
            }
        }

        /// <summary>One line: why the observer sees the target, or not.</summary>
        public string Explain(ulong observer, ulong target)
        {
            Explanation explanation;
            byte* text = stackalloc byte[ReasonSize];
            PharosException.Check(Native.ph_explain(Handle, observer, target, &explanation));
            return Texts.FromC(Native.ph_explanation_text(&explanation, text, (UIntPtr)ReasonSize));
        }

        public Stats Stats()
        {
            Stats stats;
            PharosException.Check(Native.ph_world_stats(Handle, &stats));
            return stats;
        }

        /// <summary>A hash over the state that decides future events.</summary>
        public ulong Hash()
        {
            ulong hash;
            PharosException.Check(Native.ph_world_hash(Handle, &hash));
            return hash;
        }
    }
}
