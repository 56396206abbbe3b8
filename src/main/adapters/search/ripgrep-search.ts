/** Searching with ripgrep, in a child process, so that a large folder is never felt here. */
import { stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { FileSearch, GrepQuery } from '../../runtime/ports.ts'
import { type Ripgrep, runRipgrep } from './run-ripgrep.ts'

/** Paths that are looked at to find the newest of them. */
const MOST_CANDIDATES = 20_000
/** Characters of output. */
const MOST_TEXT = 400_000

export function createRipgrepSearch(ripgrep: Ripgrep): FileSearch {
  return {
    glob: async ({ pattern, path, limit }, signal) => {
      // ripgrep matches globs below the folder it lists, so an absolute pattern is split there.
      const place = isAbsolute(pattern) ? splitAbsolute(pattern) : { folder: path, pattern }
      const folder = await stat(place.folder).catch(() => null)
      if (!folder?.isDirectory()) return missing(place.folder)
      const paths: string[] = []
      const ran = await runRipgrep(
        ripgrep,
        ['--files', '--hidden', '--glob', '!.git', '--glob', place.pattern, '--', '.'],
        {
          cwd: place.folder,
          signal,
          onLine: (line) => paths.push(resolve(place.folder, line)) < MOST_CANDIDATES,
        },
      )
      if (!ran.ok) return ran
      const newest = await newestFirst(paths)
      return ok({ paths: newest.slice(0, limit), truncated: newest.length > limit })
    },

    grep: async (query, signal) => {
      const target = await stat(query.path).catch(() => null)
      if (!target) return missing(query.path)
      const isFile = target.isFile()
      const lines: string[] = []
      let length = 0
      let matches = 0
      let truncated = false
      const ran = await runRipgrep(ripgrep, wordsFor(query, isFile ? basename(query.path) : '.'), {
        cwd: isFile ? dirname(query.path) : query.path,
        signal,
        onLine: (raw) => {
          const line = raw.replace(/^\.\//, '')
          if (lines.length >= query.limit || length > MOST_TEXT) {
            truncated = true
            return false
          }
          const shown = isFile || line === '--' ? line : join(query.path, line)
          lines.push(shown)
          length += shown.length
          if (query.mode !== 'content' || isMatch(line, query)) matches++
          return true
        },
      })
      if (!ran.ok) return ran
      return ok({ text: lines.join('\n'), matches, truncated })
    },
  }
}

function wordsFor(query: GrepQuery, path: string): readonly string[] {
  const words = [
    '--hidden',
    '--glob',
    '!.git',
    '--color=never',
    '--no-heading',
    '--sort=path',
    '--max-columns=2000',
  ]
  if (query.mode === 'files_with_matches') words.push('--files-with-matches')
  if (query.mode === 'count') words.push('--count-matches', '--with-filename')
  if (query.mode === 'content') {
    words.push('--with-filename', query.lineNumbers ? '--line-number' : '--no-line-number')
    if (query.before > 0) words.push(`--before-context=${query.before}`)
    if (query.after > 0) words.push(`--after-context=${query.after}`)
  }
  if (query.ignoreCase) words.push('--ignore-case')
  if (query.multiline) words.push('--multiline', '--multiline-dotall')
  if (query.glob !== undefined) words.push('--glob', query.glob)
  if (query.type !== undefined) words.push(`--type=${query.type}`)
  return [...words, `--regexp=${query.pattern}`, '--', path]
}

/** Lines around a match have dashes where a match has colons. */
function isMatch(line: string, query: GrepQuery): boolean {
  if (line === '--') return false
  if (query.before === 0 && query.after === 0) return true
  return query.lineNumbers ? /^.*?:\d+:/.test(line) && !/^.*?-\d+-/.test(line.split(':')[0] ?? '') : true
}

/** The fixed folders at a glob's start, and the rest. */
function splitAbsolute(pattern: string): { folder: string; pattern: string } {
  const parts = pattern.split('/')
  const first = parts.findIndex((part) => /[*?[{]/.test(part))
  const cut = first === -1 ? parts.length - 1 : first
  return { folder: parts.slice(0, cut).join('/') || '/', pattern: parts.slice(cut).join('/') }
}

async function newestFirst(paths: readonly string[]): Promise<readonly string[]> {
  const dated: { path: string; time: number }[] = []
  for (let start = 0; start < paths.length; start += 256) {
    const part = await Promise.all(
      paths.slice(start, start + 256).map(async (path) => ({
        path,
        time: await stat(path).then(
          (found) => found.mtimeMs,
          () => 0,
        ),
      })),
    )
    dated.push(...part)
  }
  return dated.sort((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1)).map((one) => one.path)
}

const missing = <T>(path: string): Result<T> =>
  fail({ type: 'not-found', message: `${path} does not exist, or is not a folder.` })
