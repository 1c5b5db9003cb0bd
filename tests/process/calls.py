# SPDX-License-Identifier: MIT
"""Calls of every public macro, made from the headers: correct ones, and ones with a single wrong argument that must not
compile.

A macro's arguments are read from the prototype of its name, or, if it has none, from the function that its text calls.
A new function thus gets its calls automatically; lists of any length are in LISTS."""

import argparse
import collections
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'src' / 'face'))
import headers  # noqa: E402

Call = collections.namedtuple('Call', 'name arguments kinds')  # kinds: of the arguments, see KINDS
Mistake = collections.namedtuple('Mistake', 'group line texts')  # group: mistakes that a compiler finds together

SKIP = 77
STANDARDS = {'c': ['c11'], 'cpp': ['c++17', 'c++20']}

# Macros with arguments of any number or type.
LISTS = {  # name: right arguments
    'weft_launch': ['kernel', 'WEFT_DIM3(1)', 'WEFT_DIM3(32)', 'x', 'y', '3.0f', 'data', 'WEFT_LOCAL(16)',
                    'WEFT_STRUCT(particle)'],
    'weft_launch_on': ['kernel', 'stream', 'WEFT_DIM3(1, 2)', 'WEFT_DIM3(1, 2, 3)', 'x', 'WEFT_CL_IMAGE(NULL)',
                       'WEFT_CL_SAMPLER(NULL)'],
    'weft_launch_n': ['kernel', '1000', 'x', '3.0f', 'WEFT_LOCAL(16)'],
    'weft_launch_2d': ['kernel', '10', '20', 'x', 'y', 'WEFT_STRUCT(particle)', '(weft_image *)NULL',
                       '(const weft_sampler *)NULL'],
    'weft_replay': ['(weft_recording *)NULL', 'WEFT_BIND(x, y)', 'WEFT_BIND(y, x)'],
    'weft_release': ['&y', '&kernel', '&stream'],
    'weft_at': ['&y', 'x', 'x', '2'],
    'weft_keepdims': ['WEFT_AXES(0, 1)'],
}
VARIABLES = ['WEFT_VAR(x)', 'WEFT_NAMED("k", 2.5f)']
# Kinds of arguments: the macro that converts them, correct ones, and the text of the refusal of a wrong one.
KINDS = {
    'result': ('WEFT__RESULT', ['&y', 'WEFT_HOST_OUT(data, WEFT_F32, WEFT_SHAPE(3))'], 'WEFT_HOST_OUT'),
    'result or NULL': ('WEFT__RESULT_OR_NULL', ['&y', 'NULL', 'WEFT_HOST_OUT(data, WEFT_F32, WEFT_SHAPE(3))'],
                       'WEFT_HOST_OUT'),
    'operand': ('WEFT__OPERAND', ['x', '2.5', '1', 'WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(3))'], 'WEFT_HOST(data'),
    'any': ('WEFT_OPERAND', ['&y'], 'WEFT_HOST(data'),
    'axes': ('WEFT__AXES', ['-1', 'WEFT_AXES(0, 1)', 'WEFT_ALL_AXES', 'weft_keepdims(0)'], 'WEFT_AXES'),
    'number': ('WEFT_SCALAR', ['2', '2.5', 'true'], 'expected a number'),
}
BY_CONVERSION = {conversion: kind for kind, (conversion, _, _) in KINDS.items()}


def parsed(doc):
    """The command line of every_macro.py and refusals.py: the headers' folder, and (compiler, language) of each
    compiler that is there. Ends with 77 without any."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('include')
    parser.add_argument('--cc', action='append', default=[])
    parser.add_argument('--cxx', action='append', default=[])
    args = parser.parse_args()
    found = ([(compiler, 'c') for compiler in filter(shutil.which, args.cc)] +
             [(compiler, 'cpp') for compiler in filter(shutil.which, args.cxx)])
    if not found:
        print('no compiler is there')
        sys.exit(SKIP)
    return args.include, found


def compiled(compiler, standard, include, text, options):
    """The compiler's end on a program, whose file it calls program.c or program.cpp."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / f'program.{"cpp" if "++" in standard else "c"}'
        source.write_text(text)
        # in C some refusals come after the syntax
        how = ['-fsyntax-only'] if '++' in standard else ['-c', '-o', Path(folder) / 'out.o']
        command = [compiler, f'-std={standard}', *options, '-I', include, *how, source]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace',
                              check=False)


def finish(failures):
    """Prints what failed; the exit status."""
    for failure in failures:
        print(failure)
    return 1 if failures else 0


def split(text):
    """The arguments in a macro's text."""
    parts, depth = [''], 0
    for letter in text:
        depth += (letter in '([{') - (letter in ')]}')
        if letter == ',' and depth == 0:
            parts.append('')
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def inside(text, start):
    """The text between the bracket at `start` and its closing bracket."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] in '([{') - (text[i] in ')]}')
        if depth == 0:
            return text[start + 1 : i]
    return text[start + 1 :]


REST = 'weft_rest'  # stands for a macro's `...`


def expanded(compiler, parameters):
    """Each macro applied to its own parameters, with the conversions left unexpanded."""
    kept = ([conversion for conversion, _, _ in KINDS.values()] +
            ['WEFT__FIRST', 'WEFT__OPTIONS', 'WEFT__OPERANDS', 'WEFT__NAMED_OPERANDS', 'WEFT_SITE'])
    lines = ['#include <weft/weft.h>', *(f'#undef {name}' for name in kept)]
    lines += [f'weft_expanded {name}({", ".join(words).replace("...", REST)})' for name, words in parameters.items()]
    text = headers.preprocessed(compiler, text='\n'.join(lines) + '\n')
    return re.findall('weft_expanded (.*)', text)


class Interface:
    """The macros of the headers, and a variable for each type that has no literal."""

    def __init__(self, compiler):
        found = headers.read(compiler, internal=True)
        self.functions = {function['name']: function['parameters'] for function in found['functions']}
        self.returns = {function['name']: function['returns'] for function in found['functions']}
        self.structs = {struct['name']: struct['members'] for struct in found['structs']}
        defined = re.findall(r'#define (\w+)\(([^)]*)\)', headers.preprocessed(compiler, '-dM'))
        parameters = {name: words.split(',') for name, words in defined if re.match('weft_[a-z]', name)}
        self.macros = {name: (words, body)
                       for (name, words), body in zip(parameters.items(), expanded(compiler, parameters))}
        self.constants = sorted(name for name, _ in defined if re.match('WEFT_[A-Z]', name) and not name.endswith('_'))
        self.variables, self.mistakes = {}, 0
        self.calls = [self.call(name) for name in sorted(self.macros) if name not in LISTS]

    def variable(self, type_):
        """A variable of the type, declared in the program's function."""
        known = {'weft_array *': 'x', 'const weft_array *': 'x', 'weft_array **': '&y', 'weft_kernel *': 'kernel',
                 'weft_stream *': 'stream', 'weft_context *': 'context', 'void *': 'data', '_Bool': 'true'}
        if type_ in known:
            return known[type_]
        if re.fullmatch(r'(?:u?int\d*(?:_t)?|size_t|double|float|unsigned|long)(?: int)?', type_):
            return '2'
        return self.variables.setdefault(type_, f'v{len(self.variables)}')

    def kind_of(self, argument, type_):
        """The kind that the macro converts in this argument, or the type that the function behind it takes."""
        match = re.match(r'(WEFT__RESULT_OR_NULL|WEFT__RESULT|WEFT__OPERAND|WEFT_OPERAND|WEFT__AXES|WEFT_SCALAR)\(',
                         argument)
        return BY_CONVERSION[match[1]] if match else type_

    def kinds(self, name):
        """(kind or type of each positional argument, the options' struct or None)."""
        parameters, body = self.macros[name]
        start = re.search(r'weft__\w+\(', body)
        inner = self.functions.get(start[0][:-1]) if start else None
        given = split(inside(body, start.end() - 1)) if inner else []
        own = self.functions.get(name)
        if own is None:  # no prototype of its own yet: use the arguments of the function behind it
            kinds = {}
            for argument, parameter in zip(given, inner or []):
                for word in re.findall(r'[A-Za-z_]\w*', argument):
                    if word in parameters or word == REST:
                        kind = 'variables' if 'OPERANDS(' in argument else self.kind_of(argument, parameter['type'])
                        kinds.setdefault('...' if word == REST else word, kind)
            return [kinds[parameter] for parameter in parameters], None
        options = own[-1]['type'][6:-2] if own and own[-1]['type'].endswith('_params *') else None
        kinds = []
        converted = {re.sub(r'^\w+\((?:WEFT__FIRST\()?\(?|\)+$', '', argument): argument for argument in given}
        nested = {match[2]: match[0] for match in re.finditer(r'(WEFT\w+)\((?:WEFT__FIRST\()?(\w+)\)', body)}
        nested.update(converted)
        for i, parameter in enumerate(own[:-1] if options else own):
            word = parameters[i] if i < len(parameters) and parameters[i] != '...' else REST
            if parameter['type'] == 'const weft_operand *' and parameters[-1] == '...':
                kinds[-1:] = ['variables']  # the macro supplies their count
            else:
                kinds.append(self.kind_of(nested.get(word, ''), parameter['type']))
        return kinds, options

    def call(self, name):
        kinds, options = self.kinds(name)
        arguments = []
        for kind in kinds:
            if kind == 'variables':
                arguments += VARIABLES
            else:
                arguments.append(KINDS[kind][1][0] if kind in KINDS else self.variable(kind))
        return Call(name, arguments, kinds + ([options] if options else []))

    def options(self, call):
        """(name, value) of each option that the call takes."""
        struct = call.kinds[-1] if call.kinds else None
        if struct not in self.structs or not struct.endswith('_params') or call.name not in self.functions:
            return []
        return [(member['name'], self.variable(member['type'])) for member in self.structs[struct]
                if member['name'] != 'site' and 'type' in member
                and '[' not in member['type']]

    def right(self, standard):
        """Lines with correct calls: every kind of value for every argument, every option."""
        for call in self.calls:
            yield f'{call.name}({", ".join(call.arguments)})'
            for i, kind in enumerate(call.kinds):
                for value in KINDS[kind][1][1:] if kind in KINDS else ():
                    yield f'{call.name}({", ".join(call.arguments[:i] + [value] + call.arguments[i + 1:])})'
            options = self.options(call)
            if options and standard.startswith('c++'):
                yield f'{call.name}({", ".join(call.arguments)}, {self.variable(call.kinds[-1])})'
            if options and standard != 'c++17':
                for some in ([option] for option in options):
                    yield f'{call.name}({", ".join(call.arguments + [f".{name} = {value}" for name, value in some])})'
                yield f'{call.name}({", ".join(call.arguments + [f".{name} = {value}" for name, value in options])})'
        for name in set(LISTS) & set(self.macros):
            yield f'{name}({", ".join(LISTS[name])})'

    def wrong(self, language, standard):
        """One mistake per argument: a pointer to a type of its own, as a C++ compiler reports each type once."""
        arrays = ('weft_array **', 'weft_array *', 'const weft_array *')
        for call in self.calls:
            if call.name not in self.functions:
                continue
            for i, kind in enumerate(call.kinds):
                if kind in KINDS or kind in arrays:
                    self.mistakes += 1
                    pointer = (f'(wrong<{self.mistakes}> *)data' if language == 'cpp'
                               else f'(struct wrong{self.mistakes} *)data')
                    line = f'{call.name}({", ".join(call.arguments[:i] + [pointer] + call.arguments[i + 1:])})'
                    yield (Mistake('conversions', line, [KINDS[kind][2]]) if kind in KINDS
                           else Mistake('pointers', line, []))
            for name, value in self.options(call)[:1] if standard != 'c++17' else ():
                most = ', '.join(call.arguments)
                yield Mistake('options', f'{call.name}({most}, .no_such_option = {value})', ['no_such_option'])
                yield Mistake('options', f'{call.name}({most}, .{name} = particle)', ['particle'])

    def statement(self, call):
        """A call as a statement."""
        name = call[: call.index('(')]
        behind = re.search(r'weft__\w+(?=\()', self.macros[name][1])
        returned = self.returns.get(name) or self.returns.get(behind[0] if behind else '', 'weft_status')
        has_status = returned == 'weft_status' and name not in ('weft_keepdims', 'weft_release')
        return f'  {"rc = " if has_status else "(void)"}{call};\n'

    def declarations(self):
        """The variables, as parameters of a function."""
        return ', '.join(headers.declared({'name': name, 'type': type_.replace('_Bool', 'bool')})  # also in C++
                         for type_, name in self.variables.items())
