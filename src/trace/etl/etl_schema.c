/* trace/etl/etl_schema.c: names and fields of the kernel's events, as far as they are public, and taking payloads apart by them.
 * Payloads are packed. Events that have a name here and no fields are known of and counted, their content is opaque. */
#include "trace/etl/etl_private.h"

/* --- fields -------------------------------------------------------------------------- */

#define P PL_ETL_POINTER
static const struct pl_etl_field fault[] = {{"VirtualAddress", P, true}, {"ProgramCounter", P, true}};
static const struct pl_etl_field hard_fault[] = {
    {"InitialTime", PL_ETL_U64, false}, {"ReadOffset", PL_ETL_U64, true}, {"VirtualAddress", P, true},
    {"FileObject", P, true}, {"TThreadId", PL_ETL_U32, false}, {"ByteCount", PL_ETL_U32, false},
};
static const struct pl_etl_field section[] = {
    {"RangeBase", P, true}, {"RangeEnd", P, true}, {"CreatingProcessId", PL_ETL_U32, false},
};
static const struct pl_etl_field section_object[] = {{"SectionObject", P, true}, {"RangeBase", P, true}};
static const struct pl_etl_field virtual_alloc[] = {
    {"BaseAddress", P, true}, {"RegionSize", P, false}, {"ProcessId", PL_ETL_U32, false}, {"Flags", PL_ETL_U32, true},
    {"CommitSizeInBytes", P, false}, /* rundowns only */
};
static const struct pl_etl_field image_backed[] = {
    {"FileObject", P, true}, {"DeviceCharacteristics", PL_ETL_U32, true}, {"FileCharacteristics", PL_ETL_U16, true},
    {"Flags", PL_ETL_U16, true},
};
static const struct pl_etl_field memory_lists[] = {
    {"ZeroPageCount", P, false}, {"FreePageCount", P, false}, {"ModifiedPageCount", P, false},
    {"ModifiedNoWritePageCount", P, false}, {"BadPageCount", P, false},
    {"StandbyPageCount0", P, false}, {"StandbyPageCount1", P, false}, {"StandbyPageCount2", P, false},
    {"StandbyPageCount3", P, false}, {"StandbyPageCount4", P, false}, {"StandbyPageCount5", P, false},
    {"StandbyPageCount6", P, false}, {"StandbyPageCount7", P, false},
    {"RepurposedPageCount0", P, false}, {"RepurposedPageCount1", P, false}, {"RepurposedPageCount2", P, false},
    {"RepurposedPageCount3", P, false}, {"RepurposedPageCount4", P, false}, {"RepurposedPageCount5", P, false},
    {"RepurposedPageCount6", P, false}, {"RepurposedPageCount7", P, false},
    {"ModifiedPageCountPageFile", P, false},
};
static const struct pl_etl_field working_sets[] = { /* the last four since version 2 */
    {"Count", PL_ETL_U32, false}, {"ProcessId", PL_ETL_U32, false}, {"WorkingSetPageCount", P, false},
    {"CommitPageCount", P, false}, {"VirtualSizeInPages", P, false}, {"PrivateWorkingSetPageCount", P, false},
    {"StoreSizePageCount", P, false}, {"StoredPageCount", P, false}, {"CommitDebtInPages", P, false},
    {"SharedCommitInPages", P, false},
};
static const struct pl_etl_field page[] = {
    {"Identity", PL_ETL_U64, true}, {"PageFrameIndex", P, true}, {"VirtualAddress", P, true},
};
static const struct pl_etl_field page_range[] = {
    {"Identity", PL_ETL_U64, true}, {"VirtualAddress", P, true}, {"PageCount", P, false},
};
static const struct pl_etl_field combine[] = {
    {"StatType", PL_ETL_U32, false}, {"PagesScanned", PL_ETL_U32, false}, {"PagesCombined", PL_ETL_U32, false},
};
static const struct pl_etl_field rotate[] = {{"BaseAddress", P, true}, {"RegionSize", P, false}, {"Flags", PL_ETL_U32, true}};
static const struct pl_etl_field process2[] = { /* up to version 2 */
    {"UniqueProcessKey", P, true}, {"ProcessId", PL_ETL_U32, false}, {"ParentId", PL_ETL_U32, false},
    {"SessionId", PL_ETL_U32, false}, {"ExitStatus", PL_ETL_U32, true}, {"UserSID", PL_ETL_SID, false},
    {"ImageFileName", PL_ETL_ANSI, false}, {"CommandLine", PL_ETL_UTF16, false},
};
static const struct pl_etl_field process3[] = {
    {"UniqueProcessKey", P, true}, {"ProcessId", PL_ETL_U32, false}, {"ParentId", PL_ETL_U32, false},
    {"SessionId", PL_ETL_U32, false}, {"ExitStatus", PL_ETL_U32, true}, {"DirectoryTableBase", P, true},
    {"UserSID", PL_ETL_SID, false}, {"ImageFileName", PL_ETL_ANSI, false}, {"CommandLine", PL_ETL_UTF16, false},
};
static const struct pl_etl_field process4[] = {
    {"UniqueProcessKey", P, true}, {"ProcessId", PL_ETL_U32, false}, {"ParentId", PL_ETL_U32, false},
    {"SessionId", PL_ETL_U32, false}, {"ExitStatus", PL_ETL_U32, true}, {"DirectoryTableBase", P, true},
    {"Flags", PL_ETL_U32, true}, {"UserSID", PL_ETL_SID, false}, {"ImageFileName", PL_ETL_ANSI, false},
    {"CommandLine", PL_ETL_UTF16, false},
};
static const struct pl_etl_field thread[] = {
    {"ProcessId", PL_ETL_U32, false}, {"TThreadId", PL_ETL_U32, false}, {"StackBase", P, true}, {"StackLimit", P, true},
    {"UserStackBase", P, true}, {"UserStackLimit", P, true},
};
static const struct pl_etl_field context_switch[] = {{"NewThreadId", PL_ETL_U32, false}, {"OldThreadId", PL_ETL_U32, false}};
static const struct pl_etl_field file[] = {{"FileObject", P, true}, {"FileName", PL_ETL_UTF16, false}};
static const struct pl_etl_field image[] = {
    {"ImageBase", P, true}, {"ImageSize", P, false}, {"ProcessId", PL_ETL_U32, false},
};
#undef P

/* --- events ----------------------------------------------------------------------------- */

#define NAMED(hook, name) {hook, 0, name, NULL, 0, 0}
#define WITH(hook, version, name, fields) {hook, version, name, fields, PL_COUNT_OF(fields), 0}
/* Ascending by hook, then version. */
static const struct pl_etl_schema schemas[] = {
    NAMED(0x0000, "EventTrace/Header"),
    NAMED(0x0005, "EventTrace/Extension"),
    NAMED(0x0008, "EventTrace/EndExtension"),
    NAMED(0x0020, "EventTrace/GroupMasks"),
    NAMED(0x010a, "DiskIo/Read"),
    NAMED(0x010b, "DiskIo/Write"),
    NAMED(0x010c, "DiskIo/ReadInit"),
    NAMED(0x010d, "DiskIo/WriteInit"),
    NAMED(0x010e, "DiskIo/FlushBuffers"),
    NAMED(0x010f, "DiskIo/FlushInit"),
    WITH(0x020a, 0, "PageFault/TransitionFault", fault),
    WITH(0x020b, 0, "PageFault/DemandZeroFault", fault),
    WITH(0x020c, 0, "PageFault/CopyOnWrite", fault),
    WITH(0x020d, 0, "PageFault/GuardPageFault", fault),
    WITH(0x020e, 0, "PageFault/HardPageFault", fault),
    WITH(0x020f, 0, "PageFault/AccessViolation", fault),
    WITH(0x0220, 0, "PageFault/HardFault", hard_fault),
    NAMED(0x0221, "PageFault/RemovePageByColor"),
    NAMED(0x0222, "PageFault/RemovePageFromList"),
    NAMED(0x0223, "PageFault/PageInMemory"),
    NAMED(0x0224, "PageFault/InsertInFreeList"),
    NAMED(0x0225, "PageFault/InsertInModifiedList"),
    NAMED(0x0226, "PageFault/InsertInList"),
    NAMED(0x0228, "PageFault/InsertAtFront"),
    NAMED(0x0229, "PageFault/UnlinkFromStandby"),
    NAMED(0x022a, "PageFault/UnlinkFreeOrZero"),
    NAMED(0x022b, "PageFault/WorkingSetManager"),
    NAMED(0x022c, "PageFault/TrimProcess"),
    NAMED(0x022e, "PageFault/ZeroShareCount"),
    NAMED(0x023c, "PageFault/WsInfoProcess"),
    NAMED(0x0245, "PageFault/FaultAddressWithIp"),
    NAMED(0x0246, "PageFault/TrimSession"),
    NAMED(0x0247, "PageFault/MemorySnapLite"),
    WITH(0x0248, 0, "PageFault/PFMappedSectionRundown", section),
    WITH(0x0249, 0, "PageFault/PFMappedSectionCreate", section),
    NAMED(0x024a, "PageFault/WsInfoSession"),
    WITH(0x024f, 0, "PageFault/PFMappedSectionDelete", section),
    {0x0262, 0, "PageFault/VirtualAlloc", virtual_alloc, 4, 0},
    {0x0263, 0, "PageFault/VirtualFree", virtual_alloc, 4, 0},
    NAMED(0x0264, "PageFault/HeapRangeRundown"),
    NAMED(0x0265, "PageFault/HeapRangeCreate"),
    NAMED(0x0266, "PageFault/HeapRangeReserve"),
    NAMED(0x0267, "PageFault/HeapRangeRelease"),
    NAMED(0x0268, "PageFault/HeapRangeDestroy"),
    WITH(0x0269, 0, "PageFault/ImageLoadBacked", image_backed),
    WITH(0x0270, 0, "PageFault/MemInfo", memory_lists),
    NAMED(0x0271, "PageFault/ContMemGenerate"),
    NAMED(0x0272, "PageFault/FileStoreFault"),
    NAMED(0x0273, "PageFault/InMemoryStoreFault"),
    NAMED(0x0274, "PageFault/CompressedPage"),
    WITH(0x0275, 0, "PageFault/PageInMemoryActive", page),
    WITH(0x0276, 0, "PageFault/PageAccess", page),
    WITH(0x0277, 0, "PageFault/PageRelease", page),
    WITH(0x0278, 0, "PageFault/PageRangeAccess", page_range),
    WITH(0x0279, 0, "PageFault/PageRangeRelease", page_range),
    WITH(0x027a, 0, "PageFault/PageCombine", combine),
    NAMED(0x027b, "PageFault/KernelMemUsage"),
    NAMED(0x027c, "PageFault/MMStats"),
    {0x027d, 0, "PageFault/MemInfoWS", working_sets, 6, 1},
    {0x027d, 2, "PageFault/MemInfoWS", working_sets, 10, 1},
    NAMED(0x027e, "PageFault/MemInfoSessionWS"),
    WITH(0x027f, 0, "PageFault/VirtualRotate", rotate),
    WITH(0x0280, 0, "PageFault/VirtualAllocDCStart", virtual_alloc),
    WITH(0x0281, 0, "PageFault/VirtualAllocDCEnd", virtual_alloc),
    WITH(0x0282, 0, "PageFault/PageAccessEx", page),
    NAMED(0x0283, "PageFault/RemoveFromWS"),
    NAMED(0x0284, "PageFault/WSSharableRundown"),
    NAMED(0x0285, "PageFault/InMemoryActiveRundown"),
    WITH(0x0286, 0, "PageFault/MemResetInfo", rotate),
    WITH(0x0287, 0, "PageFault/PFMappedSectionObjectCreate", section_object),
    WITH(0x0288, 0, "PageFault/PFMappedSectionObjectDelete", section_object),
    WITH(0x0301, 0, "Process/Start", process2),
    WITH(0x0301, 3, "Process/Start", process3),
    WITH(0x0301, 4, "Process/Start", process4),
    WITH(0x0302, 0, "Process/End", process2),
    WITH(0x0302, 3, "Process/End", process3),
    WITH(0x0302, 4, "Process/End", process4),
    WITH(0x0303, 0, "Process/DCStart", process2),
    WITH(0x0303, 3, "Process/DCStart", process3),
    WITH(0x0303, 4, "Process/DCStart", process4),
    WITH(0x0304, 0, "Process/DCEnd", process2),
    WITH(0x0304, 3, "Process/DCEnd", process3),
    WITH(0x0304, 4, "Process/DCEnd", process4),
    WITH(0x030a, 0, "Image/LoadInProcess", image),
    NAMED(0x030b, "Process/Terminate"),
    NAMED(0x0320, "Process/PerfCtr"),
    NAMED(0x0321, "Process/PerfCtrRundown"),
    WITH(0x0327, 0, "Process/Defunct", process2),
    WITH(0x0327, 3, "Process/Defunct", process3),
    WITH(0x0327, 5, "Process/Defunct", process4),
    WITH(0x0400, 0, "FileIo/Name", file),
    WITH(0x0420, 0, "FileIo/FileCreate", file),
    WITH(0x0423, 0, "FileIo/FileDelete", file),
    WITH(0x0424, 0, "FileIo/FileRundown", file),
    WITH(0x0501, 0, "Thread/Start", thread),
    WITH(0x0502, 0, "Thread/End", thread),
    WITH(0x0503, 0, "Thread/DCStart", thread),
    WITH(0x0504, 0, "Thread/DCEnd", thread),
    WITH(0x0524, 0, "Thread/CSwitch", context_switch),
    NAMED(0x0f2e, "PerfInfo/SampledProfile"),
    WITH(0x1402, 0, "Image/Unload", image),
    WITH(0x1403, 0, "Image/DCStart", image),
    WITH(0x1404, 0, "Image/DCEnd", image),
    WITH(0x140a, 0, "Image/Load", image),
    NAMED(0x1820, "StackWalk/Stack"),
    NAMED(0x1822, "StackWalk/KeyCreate"),
    NAMED(0x1823, "StackWalk/KeyDelete"),
    NAMED(0x1824, "StackWalk/KeyRundown"),
    NAMED(0x1825, "StackWalk/KeyKernel"),
    NAMED(0x1826, "StackWalk/KeyUser"),
};
#undef NAMED
#undef WITH

/* The last row that is not behind (hook, version). */
static const struct pl_etl_schema *find_row(uint16_t hook, uint8_t version)
{
    size_t from = 0, to = PL_COUNT_OF(schemas);
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (schemas[middle].hook < hook || (schemas[middle].hook == hook && schemas[middle].version <= version))
            from = middle + 1;
        else
            to = middle;
    }
    return to > 0 && schemas[to - 1].hook == hook ? &schemas[to - 1] : NULL;
}

/* Asked for every event, of which a file has few kinds: each thread remembers its last answers. */
const struct pl_etl_schema *pl_etl_schema(uint16_t hook, uint8_t version)
{
    enum { ANSWERS = 64 };
    static _Thread_local struct {
        uint32_t key; /* 0: none yet */
        const struct pl_etl_schema *row;
    } answers[ANSWERS];
    const uint32_t key = 1u << 24 | (uint32_t)hook << 8 | version;
    const size_t at = (hook ^ hook >> 8) % ANSWERS;
    if (answers[at].key != key) {
        answers[at].row = find_row(hook, version);
        answers[at].key = key;
    }
    return answers[at].row;
}

/* --- payloads ------------------------------------------------------------------------------ */

static bool take_number(struct pl_etl_fields *fields, size_t bytes, struct pl_etl_value *out)
{
    if ((size_t)(fields->end - fields->at) < bytes)
        return false;
    const uint8_t *at = fields->at;
    out->number = bytes == 8 ? load64(at) : bytes == 4 ? load32(at) : bytes == 2 ? load16(at) : at[0];
    fields->at += bytes;
    return true;
}

/* Up to a NUL of `unit` bytes, or to the end of the payload. */
static bool take_text(struct pl_etl_fields *fields, size_t unit, struct pl_etl_value *out)
{
    const uint8_t *at = fields->at, *end = fields->end;
    if (at == end)
        return false;
    while ((size_t)(end - at) >= unit && (at[0] || at[unit - 1]))
        at += unit;
    out->bytes = fields->at;
    out->length = (uint32_t)(at - fields->at);
    fields->at = (size_t)(end - at) >= unit ? at + unit : end;
    return true;
}

/* Four zero bytes where there is none; else two pointers, which mean nothing outside, and the identifier itself. */
static bool take_sid(struct pl_etl_fields *fields, struct pl_etl_value *out)
{
    enum { SUBAUTHORITIES = 1, FIXED = 8 };
    size_t left = (size_t)(fields->end - fields->at), before = 2u * fields->pointer_size;
    if (left < 4)
        return false;
    if (!load32(fields->at)) {
        fields->at += 4;
        return true;
    }
    if (left < before + FIXED)
        return false;
    const uint8_t *sid = fields->at + before;
    size_t size = FIXED + 4u * sid[SUBAUTHORITIES];
    if (size > left - before)
        return false;
    out->bytes = sid;
    out->length = (uint32_t)size;
    fields->at = sid + size;
    return true;
}

static bool take_bytes(struct pl_etl_fields *fields, enum pl_etl_width width, struct pl_etl_value *out)
{
    return width == PL_ETL_SID ? take_sid(fields, out) : take_text(fields, width == PL_ETL_ANSI ? 1 : 2, out);
}

static bool take_fields(struct pl_etl_fields *fields, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const enum pl_etl_width width = fields->schema->fields[i].width;
        struct pl_etl_value *value = &fields->value[i];
        *value = (struct pl_etl_value){0};
        if (width <= PL_ETL_POINTER
                ? take_number(fields, width == PL_ETL_POINTER ? fields->pointer_size : (size_t)width, value)
                : take_bytes(fields, width, value))
            continue;
        memset(value, 0, (to - i) * sizeof *value);
        return width > PL_ETL_POINTER && i > 0; /* texts are missing in cut or older events */
    }
    return true;
}

bool pl_etl_read(const struct pl_etl_event *event, struct pl_etl_fields *out)
{
    const struct pl_etl_schema *schema = pl_etl_schema(event->hook, event->version);
    if (!schema)
        return false;
    out->schema = schema;
    out->at = event->payload;
    out->end = event->payload + event->payload_size;
    out->pointer_size = event->pointer_size;
    out->count = schema->count;
    out->groups_left = 0;
    size_t prefix = schema->repeat ? schema->repeat : schema->count;
    if (!take_fields(out, 0, prefix))
        return false;
    if (!schema->repeat)
        return true;
    memset(out->value + schema->repeat, 0, (schema->count - schema->repeat) * sizeof *out->value);
    out->groups_left = out->value[schema->repeat - 1].number;
    return pl_etl_read_more(out) || !out->value[schema->repeat - 1].number;
}

bool pl_etl_read_more(struct pl_etl_fields *fields)
{
    if (!fields->groups_left)
        return false;
    fields->groups_left--;
    return take_fields(fields, fields->schema->repeat, fields->schema->count);
}

size_t pl_etl_utf8(const uint8_t *bytes, uint32_t length, char *out, size_t room)
{
    size_t at = 0;
    for (uint32_t i = 0; i + 2 <= length && at + 5 <= room; i += 2) {
        uint32_t c = load16(bytes + i);
        if (c >= 0xd800 && c < 0xdc00 && i + 4 <= length && (load16(bytes + i + 2) & 0xfc00) == 0xdc00) {
            c = 0x10000 + ((c & 0x3ff) << 10) + (load16(bytes + i + 2) & 0x3ff);
            i += 2;
        } else if ((c & 0xf800) == 0xd800) {
            c = 0xfffd;
        }
        if (c < 0x80) {
            out[at++] = (char)c;
        } else if (c < 0x800) {
            out[at++] = (char)(0xc0 | c >> 6);
            out[at++] = (char)(0x80 | (c & 0x3f));
        } else if (c < 0x10000) {
            out[at++] = (char)(0xe0 | c >> 12);
            out[at++] = (char)(0x80 | (c >> 6 & 0x3f));
            out[at++] = (char)(0x80 | (c & 0x3f));
        } else {
            out[at++] = (char)(0xf0 | c >> 18);
            out[at++] = (char)(0x80 | (c >> 12 & 0x3f));
            out[at++] = (char)(0x80 | (c >> 6 & 0x3f));
            out[at++] = (char)(0x80 | (c & 0x3f));
        }
    }
    if (room)
        out[at] = 0;
    return at;
}

/* --- pages ------------------------------------------------------------------------------- */

/* The first word of an identity: use:4 list:3 cold:1 pinned:1 key:48 priority:3 ... of a page; use:4 key:48 of a range. */
bool pl_etl_page_identity(const struct pl_etl_event *event, struct pl_etl_page *out)
{
    const uint64_t key48 = (UINT64_C(1) << 48) - 1;
    struct pl_etl_fields fields;
    bool range = event->hook == PL_ETL_RANGE_ACCESS || event->hook == PL_ETL_RANGE_RELEASE;
    if (!pl_etl_read(event, &fields) || fields.count != 3 || fields.schema->fields[0].width != PL_ETL_U64)
        return false;
    uint64_t word = fields.value[0].number;
    *out = (struct pl_etl_page){.use = word & 15};
    if (range) {
        out->key = word >> 4 & key48;
        out->address = fields.value[1].number;
        out->frame = 0;
        return true;
    }
    out->list = word >> 4 & 7;
    out->key = word >> 9 & key48;
    out->priority = word >> 57 & 7;
    out->frame = fields.value[1].number;
    out->address = fields.value[2].number;
    out->image = out->use == PL_ETL_USE_FILE && out->address & 1;
    return true;
}

const char *pl_etl_use_name(unsigned use)
{
    static const char *const names[PL_ETL_USES] = {
        "ProcessPrivate", "File", "PFMappedSection", "PageTable", "PagedPool", "NonPagedPool", "SystemPTE",
        "SessionPrivate", "MetaFile", "AWE", "DriverLocked", "KernelStack", "WSMetaData", "LargePage",
    };
    return use < PL_ETL_USES && names[use] ? names[use] : "unknown";
}
