/*
 * Compares our C headers with NVIDIA's C++ headers, both as a compiler sees them. Prints one line for
 * each fact: what is compared, our value, NVIDIA's value, separated by tabs. "absent" in place of
 * NVIDIA's value means that its headers do not declare it.
 *
 * The test that compiles this program writes the list of facts, conformance.inc, from our headers. The
 * C++ ABI is Itanium's: a pointer to a virtual member function holds its slot, and the table of a class
 * is the symbol _ZTV with the class's name, two words before the first slot.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <typeinfo>

#include "NvInfer.h"
#if __has_include("NvOnnxParser.h")
#include "NvOnnxParser.h"
#endif

namespace nereid {
#include "nvinfer.h"
#include "nvonnxparser.h"
} // namespace nereid

/*
 * A class derived from T. Its constructor is never called; it makes the compiler emit the tables of
 * both, whose symbols are then found by name.
 */
template <class T> struct Emitted : T {
    Emitted();
};
template <class T> Emitted<T>::Emitted() {}

namespace {

void print(std::string const &fact, std::string const &ours, std::string const &theirs)
{
    std::printf("%s\t%s\t%s\n", fact.c_str(), ours.c_str(), theirs.c_str());
}

// Signatures.

/* How a value is passed: pointers and references alike, numbers by kind and size, structs by size. */
template <class T> std::string passed()
{
    using V = std::remove_cv_t<T>;
    if constexpr (std::is_void_v<V>) {
        return "void";
    } else if constexpr (std::is_reference_v<T> || std::is_pointer_v<V>) {
        return "pointer";
    } else if constexpr (std::is_same_v<V, bool>) {
        return "bool";
    } else if constexpr (std::is_enum_v<V>) {
        return passed<std::underlying_type_t<V>>();
    } else if constexpr (std::is_integral_v<V>) {
        return (std::is_signed_v<V> ? "int" : "uint") + std::to_string(8 * sizeof(V));
    } else {
        return (std::is_trivially_copyable_v<V> ? "struct" : "class") + std::to_string(sizeof(V));
    }
}

template <class F> struct Signature;

template <class R, class... A> struct Signature<R(A...)> {
    static std::string text()
    {
        std::string parameters;
        ((parameters += (parameters.empty() ? "" : ", ") + passed<A>()), ...);
        return passed<R>() + "(" + parameters + ")";
    }
};

template <class R, class... A> struct Signature<R(A...) noexcept> : Signature<R(A...)> {};

// Slots.

template <class M> std::string slot(M pointer)
{
    struct {
        ptrdiff_t value;
        ptrdiff_t adjustment;
    } fields;
    static_assert(sizeof(fields) == sizeof(pointer), "not the Itanium C++ ABI");
    std::memcpy(&fields, &pointer, sizeof(fields));
#if defined(__aarch64__)
    bool const isVirtual = (fields.adjustment & 1) != 0;
    ptrdiff_t const offset = fields.value;
    ptrdiff_t const base = fields.adjustment >> 1;
#else
    bool const isVirtual = (fields.value & 1) != 0;
    ptrdiff_t const offset = fields.value - 1;
    ptrdiff_t const base = fields.adjustment;
#endif
    return isVirtual && base == 0 ? std::to_string(offset / sizeof(void *)) : "not virtual";
}

/*
 * The slot and the signature of a method. Of several methods with one name, it is the one that has as
 * many parameters as our declaration: a pattern with a fixed number of parameters selects it.
 */
template <int parameters> struct Method;
#define METHOD(COUNT, CLASSES, TYPES)                                                              \
    template <> struct Method<COUNT> {                                                             \
        template <class C, class R CLASSES> static std::string text(R (C::*m)(TYPES))              \
        {                                                                                          \
            return slot(m) + " " + Signature<R(TYPES)>::text();                                    \
        }                                                                                          \
        template <class C, class R CLASSES> static std::string text(R (C::*m)(TYPES) const)        \
        {                                                                                          \
            return slot(m) + " " + Signature<R(TYPES)>::text();                                    \
        }                                                                                          \
    };
#define AND ,
METHOD(0, , )
METHOD(1, AND class T1, T1)
METHOD(2, AND class T1 AND class T2, T1 AND T2)
METHOD(3, AND class T1 AND class T2 AND class T3, T1 AND T2 AND T3)
METHOD(4, AND class T1 AND class T2 AND class T3 AND class T4, T1 AND T2 AND T3 AND T4)
METHOD(5, AND class T1 AND class T2 AND class T3 AND class T4 AND class T5,
    T1 AND T2 AND T3 AND T4 AND T5)

/* Our declaration: a function whose first parameter is the object. */
template <class F> struct Declared;
template <class R, class... A> struct Declared<R (*)(void *, A...)> {
    using method = Method<sizeof...(A)>;
    static std::string text(size_t offset)
    {
        return std::to_string(offset / sizeof(void *)) + " " + Signature<R(A...)>::text();
    }
};

template <class T> struct Type {
    using type = T;
};

/* The value that a function gives for a type, or "absent" if that does not compile. */
template <class T, class F> std::string valueOf(F function)
{
    if constexpr (std::is_invocable_v<F, Type<T>>) {
        return function(Type<T>());
    } else {
        return "absent";
    }
}

// Tables.

struct Table {
    void *const *slots;
    size_t count;
};

/* The table of a class, as the compiler wrote it into this program. */
template <class T> Table tableOf()
{
    std::string const name = std::string("_ZTV") + typeid(T).name();
    void *address = dlsym(RTLD_DEFAULT, name.c_str());
    Dl_info info;
    ElfW(Sym) *symbol = nullptr;
    if (address == nullptr
        || dladdr1(address, &info, reinterpret_cast<void **>(&symbol), RTLD_DL_SYMENT) == 0
        || symbol == nullptr) {
        return {nullptr, 0};
    }
    return {static_cast<void *const *>(address) + 2, symbol->st_size / sizeof(void *) - 2};
}

/* Whether a slot is a destructor's. In the table of an abstract class g++ leaves it empty. */
bool isDestructor(void *entry)
{
    if (entry == nullptr) {
        return true;
    }
    Dl_info info;
    if (dladdr(entry, &info) == 0 || info.dli_sname == nullptr) {
        return false;
    }
    std::string const name = info.dli_sname;
    return name.size() > 4 && name[name.size() - 4] == 'D' && name.compare(name.size() - 2, 2, "Ev") == 0;
}

/*
 * The slots of the destructors: in the Itanium ABI the complete one, then the deleting one. A derived
 * class has them in the slots of its base, and defines them even where the base does not.
 */
template <class T> std::string destructors()
{
    Table const table = tableOf<Emitted<T>>();
    std::string text;
    for (size_t i = 0; i < table.count; i++) {
        if (isDestructor(table.slots[i])) {
            text += (text.empty() ? "" : ", ") + std::to_string(i);
        }
    }
    return text;
}

/* Where an object of the API keeps its implementation; the member is protected. */
template <class T> struct Opened : T {
    static std::string implementation()
    {
        return std::to_string(offsetof(Opened, mImpl));
    }
};

std::string number(int64_t value)
{
    return std::to_string(value);
}

} // namespace

// What the list of facts consists of. The first pass emits tables, the second one prints.

#define SLOT(CLASS, TABLE, METHOD)
#define DESTRUCTORS(CLASS, TABLE, DELETING) template struct Emitted<CLASS>;
#define OBJECT(CLASS) template struct Emitted<CLASS>;
#define WHOLE(CLASS, TABLE)
#define MEMBER(CLASS, STRUCT, FIELD)
#define SIZE(CLASS, STRUCT)
#define CONSTANT(ENUM, OURS, THEIRS)
#define FUNCTION(NAME)
#include "conformance.inc"
#undef SLOT
#undef DESTRUCTORS
#undef OBJECT
#undef WHOLE
#undef MEMBER
#undef SIZE
#undef CONSTANT
#undef FUNCTION

#define SLOT(CLASS, TABLE, METHOD)                                                                 \
    {                                                                                              \
        using Ours = Declared<decltype(nereid::TABLE::METHOD)>;                                    \
        print(#TABLE "." #METHOD, Ours::text(offsetof(nereid::TABLE, METHOD)),                     \
            valueOf<CLASS>([](auto t) -> decltype(Ours::method::text(&decltype(t)::type::METHOD)) { \
                return Ours::method::text(&decltype(t)::type::METHOD);                             \
            }));                                                                                   \
    }
#define DESTRUCTORS(CLASS, TABLE, DELETING)                                                        \
    {                                                                                              \
        size_t const slot = offsetof(nereid::TABLE, DELETING) / sizeof(void *);                    \
        print(#TABLE "." #DELETING, number(slot - 1) + ", " + number(slot), destructors<CLASS>()); \
    }
#define OBJECT(CLASS)                                                                              \
    print(#CLASS ".impl", number(offsetof(nereid::trt_Object, impl)), Opened<CLASS>::implementation()); \
    print(#CLASS ".size", number(sizeof(nereid::trt_Object)), number(sizeof(CLASS)));              \
    print(#CLASS ".deletingDestructor",                                                            \
        "0, " + number(offsetof(nereid::trt_ObjectTable, deletingDestructor) / sizeof(void *)),    \
        destructors<CLASS>());
#define WHOLE(CLASS, TABLE)                                                                        \
    print(#TABLE ".slots", number(sizeof(nereid::TABLE) / sizeof(void *)), number(tableOf<CLASS>().count));
#define MEMBER(CLASS, STRUCT, FIELD)                                                               \
    print(#STRUCT "." #FIELD,                                                                      \
        number(offsetof(nereid::STRUCT, FIELD)) + " size " + number(sizeof(nereid::STRUCT::FIELD)), \
        number(offsetof(CLASS, FIELD)) + " size " + number(sizeof(CLASS::FIELD)));
#define SIZE(CLASS, STRUCT)                                                                        \
    print(#STRUCT ".size", number(sizeof(nereid::STRUCT)), number(sizeof(CLASS)));
#define CONSTANT(ENUM, OURS, THEIRS)                                                               \
    print(#ENUM "." #OURS, number(nereid::OURS),                                                   \
        valueOf<ENUM>([](auto t) -> decltype(number(static_cast<int64_t>(decltype(t)::type::THEIRS))) { \
            return number(static_cast<int64_t>(decltype(t)::type::THEIRS));                        \
        }));
#define FUNCTION(NAME)                                                                             \
    print(#NAME, Signature<decltype(nereid::NAME)>::text(), Signature<decltype(::NAME)>::text());

int main()
{
#include "conformance.inc"
    return 0;
}
