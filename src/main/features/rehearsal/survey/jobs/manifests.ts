/** Project manifests: their informative lines, and the files they name. */

import { nameOf } from '../folder-files.ts'
import type { Fact } from '../report.ts'
import type { FoundLine } from '../tool-answers.ts'

interface Manifest {
  /** Completes the sentence "it is …". */
  readonly kind: string
  /** Informative lines, with a description of each. */
  readonly patterns: readonly { readonly pattern: RegExp; readonly note: string }[]
}

const NODE: Manifest = {
  kind: 'a JavaScript project',
  patterns: [
    { pattern: /^ {0,4}\t?"name"\s*:/, note: 'is its name' },
    {
      pattern: /^ {0,4}\t?"(main|module|browser|exports)"\s*:/,
      note: 'is its entry point for other packages',
    },
    { pattern: /^ {0,4}\t?"bin"\s*:/, note: 'is the command it installs' },
    { pattern: /^\s+"(start|dev|serve)"\s*:/, note: 'starts it' },
  ],
}
const PYTHON: Manifest = {
  kind: 'a Python project',
  patterns: [
    { pattern: /^name\s*=/, note: 'is its name' },
    { pattern: /^\[(project|tool\.poetry)\.(scripts|gui-scripts)\]/, note: 'lists the commands it installs' },
  ],
}
const RUST: Manifest = {
  kind: 'a Rust project',
  patterns: [
    { pattern: /^\[workspace\]/, note: 'makes it a workspace of several' },
    { pattern: /^name\s*=/, note: 'is its name' },
    { pattern: /^path\s*=/, note: 'is where it starts' },
  ],
}
const only = (kind: string, pattern: RegExp, note: string): Manifest => ({
  kind,
  patterns: [{ pattern, note }],
})

const MANIFESTS: Readonly<Record<string, Manifest>> = {
  'package.json': NODE,
  'deno.json': { ...NODE, kind: 'a Deno project' },
  'pyproject.toml': PYTHON,
  'setup.py': only('a Python project', /^\s*name\s*=/, 'is its name'),
  'Cargo.toml': RUST,
  'go.mod': only('a Go project', /^module\s/, 'is its name'),
  'pom.xml': only('a Java project', /<artifactId>/, 'is its name'),
  'build.gradle': only('a Gradle project', /^\s*(mainClass|application)\b/, 'says what it starts'),
  'build.gradle.kts': only('a Gradle project', /^\s*(mainClass|application)\b/, 'says what it starts'),
  Gemfile: only('a Ruby project', /^\s*gem\s+['"](rails|sinatra|hanami)['"]/, 'is what it is built on'),
  'composer.json': only('a PHP project', /^\s+"name"\s*:/, 'is its name'),
  'mix.exs': only('an Elixir project', /\bapp:\s*:/, 'is its name'),
  'Package.swift': only('a Swift project', /\bname:\s*"/, 'is its name'),
  'pubspec.yaml': only('a Dart project', /^name:/, 'is its name'),
  'CMakeLists.txt': only('a CMake project', /^\s*(project|add_executable)\s*\(/i, 'says what is built'),
  Makefile: only('a project with a Makefile', /^(all|build|run|start)\s*:/, 'is what make builds'),
  Dockerfile: only('built to run in a container', /^(FROM|ENTRYPOINT|CMD)\b/, 'says what the container runs'),
}

export const MANIFEST_NAMES: readonly string[] = Object.keys(MANIFESTS)

export function manifestOf(path: string): Manifest | null {
  const name = nameOf(path)
  return Object.hasOwn(MANIFESTS, name) ? (MANIFESTS[name] ?? null) : null
}

/** Maximum lines reported from one manifest. */
const MOST_LINES = 6

/** The informative lines of a manifest, or its first line if there are none. */
export function manifestLines(
  path: string,
  lines: ReadonlyMap<number, string>,
): readonly (FoundLine & Fact & { readonly line: number })[] {
  const manifest = manifestOf(path)
  if (manifest === null) return []
  const found: (FoundLine & Fact & { readonly line: number })[] = []
  const reported = new Set<string>()
  for (const [line, text] of lines) {
    const matching = manifest.patterns.find(({ pattern }) => pattern.test(text))
    if (!matching || found.length >= MOST_LINES) continue
    // The first name is the project's; later names belong to its parts.
    if (matching.note === 'is its name' && reported.has(matching.note)) continue
    reported.add(matching.note)
    found.push({ path, line, text, note: matching.note })
    if (matching.note === 'is the command it installs' && /\{\s*$/.test(text)) {
      const next = lines.get(line + 1)
      if (next !== undefined) found.push({ path, line: line + 1, text: next, note: matching.note })
    }
  }
  const [first] = lines
  if (found.length === 0 && first) return [{ path, line: first[0], text: first[1], note: 'begins it' }]
  return found
}

export interface NamedFile {
  readonly path: string
  /** The location that names it, as `path:line`. */
  readonly by: string
}

/** Files that a manifest names as entry points, relative to the manifest's folder. */
export function namedFiles(facts: readonly FoundLine[]): readonly NamedFile[] {
  return facts.flatMap(({ path, line, text }) => {
    const value = /[:=]\s*\[?\s*["']([^"']+\.[A-Za-z]{1,4})["']/.exec(text)?.[1]
    const script =
      /^\s*"(?:start|dev|serve)"\s*:\s*"(?:node|tsx|ts-node|deno run|bun(?: run)?)\s+(?:-\S+\s+)*([\w./-]+\.\w+)/.exec(
        text,
      )?.[1]
    const file = script ?? (/^\s*"(?:start|dev|serve)"/.test(text) ? undefined : value)
    if (file === undefined || /[*:\s]|^\/|\.\./.test(file)) return []
    const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : ''
    return [{ path: `${folder}${file.replace(/^\.\//, '')}`, by: `${path}:${line}` }]
  })
}
