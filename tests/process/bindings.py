#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Weft from Python, with only weft.json and ctypes: bindings.py WEFT_JSON LIBRARY

Calls twelve functions by the list's prototypes and structs, and compares their results with NumPy's (with plain
Python's if NumPy is missing). Exit status 77 without a device, or while one of the functions is no symbol."""

import ctypes
import json
import re
import sys

try:
    import numpy
except ImportError:
    numpy = None

SKIP = 77
PLAIN = {'void': None, '_Bool': ctypes.c_bool, 'char': ctypes.c_char, 'int': ctypes.c_int, 'unsigned': ctypes.c_uint,
         'float': ctypes.c_float, 'double': ctypes.c_double, 'size_t': ctypes.c_size_t, 'const char *': ctypes.c_char_p,
         **{f'{sign}int{bits}_t': getattr(ctypes, f'c_{sign}int{bits}') for sign in ('', 'u')
            for bits in (8, 16, 32, 64)}}
USED = ['weft_context_create', 'weft_from_host', 'weft_add', 'weft_sort', 'weft_argsort', 'weft_topk', 'weft_sum',
        'weft_cumsum', 'weft_take', 'weft_unique', 'weft_where', 'weft_to_host', 'weft_error_last', 'weft_array_length',
        'weft_array_release', 'weft_context_close']


class Weft:
    """The library as the list describes it: functions are attributes; structs and enums are looked up by name."""

    def __init__(self, path, library):
        with open(path, encoding='utf-8') as stream:
            self.list = json.load(stream)
        self.library = ctypes.CDLL(library)
        self.functions = {function['name']: function for function in self.list['functions']}
        self.members = {struct['name']: struct['members'] for struct in self.list['structs']}
        self.enums = {enum['name'] for enum in self.list['enums']}
        self.values = {name: value for enum in self.list['enums'] for name, value in enum['values'].items()}
        self.made = {}

    def missing(self, names):
        return [name for name in names if name not in self.functions or not hasattr(self.library, name)]

    def type(self, text):
        """The ctypes type of a C type as spelled in the list."""
        text = text.replace('const struct', 'struct')
        if array := re.fullmatch(r'(.*)\[(\d+)\]', text):
            return self.type(array[1]) * int(array[2])
        if text in PLAIN:
            return PLAIN[text]
        if text in self.enums:
            return ctypes.c_int
        if text.endswith('**'):
            return ctypes.POINTER(ctypes.c_void_p)
        if text.endswith('*'):
            name = text[:-1].replace('const ', '').strip()
            return ctypes.POINTER(self.struct(name)) if name in self.members else ctypes.c_void_p
        return self.struct(text)

    def struct(self, name):
        if name not in self.made:
            self.made[name] = type(name, (ctypes.Structure,), {})
            self.made[name]._fields_ = [self.field(member) for member in self.members[name]]
        return self.made[name]

    def field(self, member):
        for kind, base in (('union', ctypes.Union), ('struct', ctypes.Structure)):
            if kind in member:
                fields = [self.field(inner) for inner in member[kind]]
                return member['name'], type(member['name'], (base,), {'_fields_': fields})
        return member['name'], self.type(member['type'])

    def __getattr__(self, name):
        function = getattr(self.library, name)
        described = self.functions[name]
        function.restype = self.type(described['returns'])
        function.argtypes = [self.type(parameter['type']) for parameter in described['parameters']]

        def call(*arguments):
            result = function(*arguments)
            if described['returns'] == 'weft_status' and result != 0:
                raise RuntimeError(self.weft_error_last().contents.message.decode())
            return result

        return call

    def make(self, name, **members):
        """A struct of the library."""
        return self.struct(name)(**members)

    def params(self, name, **members):
        return ctypes.byref(self.make(name, **members))


class Arrays:
    """Converts Python lists to arrays and back."""

    FORMS = {'WEFT_F32': ctypes.c_float, 'WEFT_I64': ctypes.c_int64, 'WEFT_BOOL': ctypes.c_bool,
             'WEFT_F64': ctypes.c_double}

    def __init__(self, weft, context):
        self.weft, self.context, self.alive = weft, context, []

    def new(self):
        self.alive.append(ctypes.c_void_p())
        return self.alive[-1]

    def shape(self, *lengths):
        return self.weft.make('weft_shape', ndim=len(lengths), dim=(ctypes.c_int64 * 8)(*lengths))

    def axis(self, *axes):
        return self.weft.make('weft_axes', count=len(axes), axis=(ctypes.c_int * 8)(*axes))

    def array(self, values, dtype='WEFT_F32'):
        out, data = self.new(), (self.FORMS[dtype] * len(values))(*values)
        self.weft.weft_from_host(ctypes.byref(out), self.context, self.weft.values[dtype], self.shape(len(values)),
                                 data)
        return out

    def values(self, array, dtype='WEFT_F32', scalar=False):
        count = 1 if scalar else self.weft.weft_array_length(array, 0)
        data = (self.FORMS[dtype] * count)()
        self.weft.weft_to_host(data, ctypes.sizeof(data), array)
        return list(data)

    def release(self):
        for array in self.alive:
            self.weft.weft_array_release(ctypes.byref(array))


def expected(a, b, index):
    """NumPy's results, or Python's, for numbers that f32 holds exactly."""
    places = sorted(range(len(a)), key=lambda i: a[i])
    plain = {'add': [x + y for x, y in zip(a, b)], 'sort': sorted(a), 'sort descending': sorted(a, reverse=True),
             'argsort': places, 'sum': [sum(a)], 'topk': sorted(a, reverse=True)[:3],
             'cumsum': [sum(a[:i + 1]) for i in range(len(a))], 'take': [a[i] for i in index],
             'take clipped': [a[min(i + 5, len(a) - 1)] for i in index], 'unique': sorted(set(b)),
             'unique counts': [b.count(x) for x in sorted(set(b))],
             'where': [x if x > 2 else y for x, y in zip(a, b)]}
    if numpy:
        x, y, i = numpy.array(a, numpy.float32), numpy.array(b, numpy.float32), numpy.array(index)
        values, counts = numpy.unique(y, return_counts=True)
        of_numpy = {'add': x + y, 'sort': numpy.sort(x), 'sort descending': numpy.sort(x)[::-1],
                    'argsort': numpy.argsort(x, kind='stable'), 'sum': [numpy.sum(x)], 'topk': numpy.sort(x)[::-1][:3],
                    'cumsum': numpy.cumsum(x), 'take': numpy.take(x, i),
                    'take clipped': numpy.take(x, i + 5, mode='clip'), 'unique': values, 'unique counts': counts,
                    'where': numpy.where(x > 2, x, y)}
        return {name: [float(value) for value in value_list] for name, value_list in of_numpy.items()}
    return plain


def results(weft, arrays, a, b, index):
    """Weft's results for the calls of expected()."""
    ref = ctypes.byref
    x, y, i = arrays.array(a), arrays.array(b), arrays.array(index, 'WEFT_I64')
    far = arrays.array([k + 5 for k in index], 'WEFT_I64')
    mask = arrays.array([value > 2 for value in a], 'WEFT_BOOL')
    axis, found = arrays.axis(-1), {}

    def result(what, function, *arguments, dtype='WEFT_F32', scalar=False):
        out = arrays.new()
        function(ref(out), *arguments)
        found[what] = arrays.values(out, dtype, scalar)

    result('add', weft.weft_add, x, y)
    result('sort', weft.weft_sort, x, axis, None)
    result('sort descending', weft.weft_sort, x, axis, weft.params('weft_sort_params', descending=True))
    result('argsort', weft.weft_argsort, x, axis, None, dtype='WEFT_I64')
    result('topk', weft.weft_topk, ref(arrays.new()), x, 3, axis, None)
    result('sum', weft.weft_sum, x, axis, scalar=True)
    result('cumsum', weft.weft_cumsum, x, axis, None)
    result('take', weft.weft_take, x, i, axis, None)
    result('take clipped', weft.weft_take, x, far, axis,
           weft.params('weft_index_params', mode=weft.values['WEFT_INDEX_CLIP']))
    counts = arrays.new()
    result('unique', weft.weft_unique, y, weft.params('weft_unique_params', counts=ctypes.pointer(counts)))
    found['unique counts'] = arrays.values(counts, 'WEFT_I64')
    result('where', weft.weft_where, mask, x, y)
    return found


def main():
    weft = Weft(*sys.argv[1:3])
    missing = weft.missing(USED)
    if missing:
        print(f'not functions of the library yet: {" ".join(missing)}')
        return SKIP
    context = ctypes.c_void_p()
    try:
        weft.weft_context_create(ctypes.byref(context), None)
    except RuntimeError as why:
        print(why)
        return SKIP
    arrays = Arrays(weft, context)
    a, b, index = [3.0, -1.5, 4.0, 0.25, 2.5, 8.0, -7.0], [2.0, 2.0, 1.0, 0.5, 1.0, 2.0, 9.0], [6, 0, 0, 3]
    found, wanted = results(weft, arrays, a, b, index), expected(a, b, index)
    wrong = [f'{what}: {found[what]} instead of {wanted[what]}' for what in wanted
             if [float(x) for x in found[what]] != [float(x) for x in wanted[what]]]
    try:
        arrays.array([1.0])
        weft.weft_sort(ctypes.byref(arrays.new()), arrays.alive[0], arrays.axis(5), None)
        wrong.append('an axis that is not there is no error')
    except RuntimeError as why:
        print(f'as it should: {why}')
    arrays.release()
    weft.weft_context_close(ctypes.byref(context))  # fails if anything was not released
    print(f'{len(found)} results of {len(USED)} functions, of {len(weft.functions)} in the list, compared with '
          f'{"NumPy" if numpy else "Python"}')
    print('\n'.join(wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
