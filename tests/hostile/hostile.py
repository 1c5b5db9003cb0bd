#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the calls of tests/hostile/hostile.c: hostile.py WEFT_JSON OUT.inc

For each function of weft.json one C function, which calls it with values of its parameters' types that hostile.h
chooses; for each struct a function that fills one."""

import json
import re
import sys

# Functions whose types do not say how they are used.
LEFT_OUT = {
    'weft_to_dlpack': 'gives an object that only its deleter frees',
    'weft_to_dlpack_unversioned': 'gives an object that only its deleter frees',
    'weft_monitor_free': 'takes memory that the library gave, or NULL',
    'weft_free': 'takes memory that the library gave, or NULL',
    'weft_adopt_cl_context': 'takes a driver object',
}
# Made by hand in hostile.h, or only filled by the library.
BY_HAND = {'weft_shape', 'weft_axes', 'weft_scalar', 'weft_host', 'weft_host_out', 'weft_operand', 'weft_arg',
           'weft_bytes', 'weft_kernel_params', 'weft_tune_params', 'weft_histogramdd_params'}
NUMBERS = {'int', 'int64_t', 'size_t', 'uint64_t', 'uint32_t', 'uint16_t', 'unsigned', 'double', 'float', '_Bool'}


class Interface:
    def __init__(self, path):
        with open(path, encoding='utf-8') as stream:
            self.list = json.load(stream)
        self.structs = {struct['name']: struct['members'] for struct in self.list['structs']}
        self.enums = {enum['name']: enum['values'] for enum in self.list['enums']}
        self.handles = set(self.list['handles'])

    def value(self, text):
        """A C expression of a value of this type; None: zero is the only one."""
        bare = re.sub(r'\b(const|struct) ', '', text).replace(' ', '')
        if text in NUMBERS:
            return f'some_{text}()'
        if text in self.enums:
            return f'({text})some_of_enum(sizeof values_{text} / sizeof *values_{text}, values_{text})'
        if text == 'weft_ufunc_id':
            return '(weft_ufunc_id)some_int()'
        if text == 'const char *':
            return 'some_text()'
        if text in BY_HAND or text in self.structs:
            return f'some_{text}()'
        if text in ('weft_array * const *', 'const weft_array * const *'):
            return '(void *)some_arrays()'
        if text == 'const char **':
            return None  # the text is not the caller's
        if bare in ('void*', 'char**', 'void**', 'FILE*', 'int*', '_Bool*', 'uint64_t*', 'size_t*', 'int64_t*',
                    'weft_array**', 'weft_operand*', 'weft_arg*'):
            name = bare.replace('**', '_results').replace('*', '_pointer')
            return f'(void *)some_{name}()'
        if match := re.fullmatch(r'(weft_\w+)\*\*', bare):
            return f'(void *)some_{"handles" if match[1] in self.handles else "table"}()'
        if match := re.fullmatch(r'(weft_\w+)\*', bare):
            if match[1] in self.handles:
                return f'some_object(OBJECT_{match[1]})'
            if match[1] in self.structs:
                return f'some_{match[1]}_pointer()'
        return None

    def is_pointed(self, text, seen=()):
        """Whether a value of this type has an address with a length of its own."""
        bare = re.sub(r'\b(const|struct) ', '', text).replace(' ', '')
        name = bare.rstrip('*')
        if bare.endswith('*') and name not in self.handles and name not in self.structs:
            return bare != 'char*'
        if bare.endswith('**') or bare in ('weft_operand*', 'weft_arg*', 'weft_bind*'):
            return True
        return name in self.structs and name not in seen and any(
            self.is_pointed(member['type'], (*seen, name)) for member in self.structs[name] if 'type' in member)

    def write_enums(self, out):
        for name, values in self.enums.items():
            out.write(f'static const long values_{name}[] = {{{", ".join(map(str, values.values()))}}};\n')

    def write_prototypes(self, out):
        for name in self.structs:
            out.write(f'static {name} some_{name}(void);\nstatic inline {name} *some_{name}_pointer(void);\n')

    def write_structs(self, out):
        for name, members in self.structs.items():
            if name not in BY_HAND:
                out.write(f'static {name} some_{name}(void) {{\n  {name} s;\n  memset(&s, 0, sizeof s);\n')
                for member in members:
                    value = self.value(member['type']) if 'type' in member else None
                    if value and member['name'] != 'site':
                        out.write(f'  if (one_of(3)) s.{member["name"]} = {value};\n')
                out.write('  return s;\n}\n')
            out.write(f'static inline {name} *some_{name}_pointer(void) {{\n  static {name} s[ROOM];\n'
                      f'  if (one_of(4)) return NULL;\n'
                      f'  for (int k = 0; k < ROOM; k++) s[k] = some_{name}();\n  return s;\n}}\n')

    def write_calls(self, out):
        names = []
        for function in self.list['functions']:
            name = function['name']
            if name in LEFT_OUT:
                continue
            names.append(name)
            values = [self.value(parameter['type']) or '0' for parameter in function['parameters']]
            bounded = any(self.is_pointed(parameter['type']) for parameter in function['parameters'])
            call = f'({name})({", ".join(values)})'
            out.write(f'static void call_{name}(void) {{\n  bounded = {int(bounded)};\n')
            out.write(f'  saw({call});\n}}\n' if function['returns'] == 'weft_status' else f'  (void){call};\n}}\n')
        out.write('static const struct call {\n  const char *name;\n  void (*call)(void);\n} calls[] = {\n')
        for name in names:
            out.write(f'  {{"{name}", call_{name}}},\n')
        out.write('};\n')


def main():
    interface = Interface(sys.argv[1])
    with open(sys.argv[2], 'w', encoding='utf-8') as out:
        out.write('#ifdef HANDLES_ONLY\n#undef HANDLES_ONLY\ntypedef enum object {\n')
        out.write(''.join(f'  OBJECT_{handle},\n' for handle in interface.list['handles']))
        out.write('  OBJECTS\n} object;\n#else\n')
        interface.write_enums(out)
        interface.write_prototypes(out)
        out.write('#include "values.h"\n')
        interface.write_structs(out)
        interface.write_calls(out)
        out.write('#endif\n')


main()
