#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the projects of this directory: consumers.py [--build] ROOT BUILD PREFIX WAY[,WAY...] MESON...

  pkgconfig, meson, cmake   against a staged installation of BUILD, whose prefix is PREFIX
  static                    the same where only libweft.a is installed, by pkg-config and, if it is there, by CMake
  subproject                configures Weft as a subproject, which must be its library and command alone; --build also
                            builds the project, library and all

Each program compares the version of library and headers, and adds on a device where there is one. docs/install.md must
show these projects' files. Exit status 77: a tool is missing."""
import argparse
import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from staging import Missing, Wrong, blocks_of, install, must, run

HERE = Path(__file__).resolve().parent
# What docs/install.md must show, by the language of the block.
SHOWN = {'cmake': ['cmake/CMakeLists.txt'], 'meson': ['meson/meson.build'],
         'ini': ['subproject/subprojects/weft.wrap']}
# Versions asked of find_package, and whether they may be found.
VERSIONS = {'': True, '{major}.{minor}': True, '{version} EXACT': True, '{version}...{major}.99': True,
            '{major}.{next}': False, '{major}.{minor}.99': False, '99': False, '99.0...99.9': False,
            '{major}.{next} EXACT': False, '0.0...<{version}': False}


def version_of(root):
    text = (root / 'include/weft/version.h').read_text(encoding='utf-8')
    return [int(number) for number in re.findall(r'#define WEFT_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)', text)]


class Consumers:
    def __init__(self, options, folder):
        self.root, self.meson, self.folder = options.root, options.meson, folder
        self.version = '.'.join(map(str, version_of(options.root)))
        self.prefix = self.libdir = None
        self.build = options.build
        self.builds_subproject = options.builds_subproject
        self.where = options.prefix
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in ('LD_LIBRARY_PATH', 'PKG_CONFIG_PATH', 'LD_RUN_PATH', 'CMAKE_PREFIX_PATH')}

    def stage(self, static_only=False):
        """Installs the build; of the libraries that are not wanted nothing stays. Returns whether the rest is there."""
        if self.prefix is None:
            self.prefix = self.folder / 'prefix'
            self.libdir = self.prefix / install(self.meson, self.build, self.where, self.folder / 'stage', self.prefix)
            self.environment['PKG_CONFIG_PATH'] = str(self.libdir / 'pkgconfig')
        if static_only:
            for library in self.libdir.glob('libweft.so*'):
                library.unlink()
        return (self.libdir / ('libweft.a' if static_only else 'libweft.so')).exists()

    def project(self, name):
        """A copy of a project, with the programs."""
        folder = self.folder / f'{name}-{len(list(self.folder.iterdir()))}'
        shutil.copytree(HERE / name, folder)
        for program in HERE.glob('program.c*'):
            shutil.copy(program, folder)
        return folder

    def runs(self, program, static=False, **more):
        environment = dict(self.environment, **more)
        printed = must(run([program], env=environment)).split('\n')
        if printed[0] != f'Weft {self.version}' or printed[1:] not in ([''], ['0 2 4 6', '']):
            raise Wrong(f'{program} printed {printed}')
        loaded = must(run([program], env=dict(environment, LD_TRACE_LOADED_OBJECTS='1')))
        if ('libweft.so' in loaded) == static:
            raise Wrong(f'{program} is {"not " if static else ""}linked statically:\n{loaded}')

    def script(self, name, **how):
        folder = self.project(name)
        must(run(['sh', folder / 'build.sh'], cwd=folder, env=self.environment))
        self.runs(folder / 'program', LD_LIBRARY_PATH=str(self.libdir), **how)

    def pkgconfig(self):
        if self.stage():
            self.script('pkgconfig')

    def static(self):
        if self.stage(static_only=True):
            self.script('static', static=True)
            if shutil.which('cmake'):
                self.cmake_build(['program'], static=True)

    def meson_build(self, name, static=False, options=()):
        folder = self.project(name)
        if name == 'subproject':
            (folder / 'subprojects/weft').symlink_to(self.root)
        printed = must(run([*self.meson, 'setup', '--wrap-mode=nodownload', *options, folder / 'build', folder],
                           env=self.environment))
        if name == 'subproject':
            self.check_subproject(folder / 'build', printed)
            if not self.builds_subproject:
                return
        must(run([*self.meson, 'compile', '-C', folder / 'build'], env=self.environment))
        self.runs(folder / 'build/program', static, LD_LIBRARY_PATH=str(self.libdir))

    def meson_dependency(self):
        if self.stage():
            self.meson_build('meson')

    def subproject(self):
        self.meson_build('subproject', static=True, options=['-Dweft:default_library=static'])
        if self.builds_subproject:
            self.meson_build('subproject')

    def check_subproject(self, build, printed):
        """The library and the command, but no tests and examples."""
        def read(what):
            return json.loads((build / f'meson-info/intro-{what}.json').read_text(encoding='utf-8'))

        # a newer Meson also warns of the parent project
        bad = [line for line in printed.splitlines() if 'WARNING' in line and 'subprojects/weft/' in line]
        bad += [f'the test {test["name"]}' for test in read('tests')]
        for target in read('targets'):
            if any(part in ('tests', 'examples') for part in Path(target['defined_in']).parts[len(build.parts) - 1:]):
                bad.append(f'the target {target["name"]}')
        if not any(target['name'] == 'weft' for target in read('targets')):
            bad.append('no library')
        if bad:
            raise Wrong('as a subproject: ' + '\n'.join(bad))

    def cmake_configure(self, folder):
        return run(['cmake', '-G', 'Ninja', '-S', folder, '-B', folder / 'build',
                    f'-DCMAKE_PREFIX_PATH={self.prefix}'], env=self.environment)

    def cmake_build(self, programs, static=False):
        folder = self.project('cmake')
        must(self.cmake_configure(folder))
        must(run(['cmake', '--build', folder / 'build', '--target', *programs], env=self.environment))
        for program in programs:
            self.runs(folder / 'build' / program, static)

    def cmake(self):
        if shutil.which('cmake') is None:
            raise Missing('cmake is not installed')
        shared = self.stage()
        self.cmake_build(['program', 'program_cpp'], static=not shared)
        major, minor, _ = version_of(self.root)
        lines = ['cmake_minimum_required(VERSION 3.19)', 'project(versions C)']
        for asked, found in VERSIONS.items():
            asked = asked.format(major=major, minor=minor, next=minor + 1, version=self.version)
            lines += [f'find_package(Weft {asked} QUIET)',
                      f'if({"NOT " if found else ""}Weft_FOUND)',
                      f'  message(SEND_ERROR "find_package(Weft {asked}): ${{Weft_FOUND}} with ${{Weft_VERSION}}")',
                      'endif()']
        lines += ['find_package(Weft OPTIONAL_COMPONENTS mpi REQUIRED)',
                  'if(NOT Weft_FOUND OR Weft_mpi_FOUND)\n  message(SEND_ERROR "an optional component")\nendif()',
                  'find_package(Weft COMPONENTS mpi)',
                  'if(Weft_FOUND OR NOT TARGET Weft::weft)\n  message(SEND_ERROR "a component")\nendif()']
        folder = self.folder / 'versions'
        folder.mkdir()
        (folder / 'CMakeLists.txt').write_text('\n'.join(lines) + '\n', encoding='utf-8')
        done = self.cmake_configure(folder)
        must(done)
        if f'Weft {self.version} has no component mpi' not in ' '.join(done.stderr.split()):
            raise Wrong(f'no word of the missing component:\n{done.stdout}{done.stderr}')

    def shown(self):
        """docs/install.md shows the projects as they are."""
        text = (self.root / 'docs/install.md').read_text(encoding='utf-8')
        for language, names in SHOWN.items():
            files = [(HERE / name).read_text(encoding='utf-8').split('\n', 1)[1] for name in names]
            for block in blocks_of(text, language):
                if not any(block in file for file in files):
                    raise Wrong(f'docs/install.md: no file of {names} has this:\n{block}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', dest='builds_subproject', action='store_true')
    parser.add_argument('root', type=Path)
    parser.add_argument('build')
    parser.add_argument('prefix')
    parser.add_argument('ways')
    parser.add_argument('meson', nargs='+')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        consumers = Consumers(options, Path(folder).resolve())
        ways = {'pkgconfig': consumers.pkgconfig, 'meson': consumers.meson_dependency, 'cmake': consumers.cmake,
                'static': consumers.static, 'subproject': consumers.subproject, 'shown': consumers.shown}
        try:
            for way in options.ways.split(','):
                ways[way]()
        except Wrong as wrong:
            print(wrong)
            return 1
        except Missing as missing:
            print(missing)
            return 77
    return 0


if __name__ == '__main__':
    sys.exit(main())
