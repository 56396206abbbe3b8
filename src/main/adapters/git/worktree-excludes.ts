/**
 * What is never committed in a worktree: the user's own list with the files that were copied in. It lies beside
 * the worktree, as `<id>.exclude`, and takes the place of `core.excludesFile`; without copied files there is none.
 */
import { existsSync } from 'node:fs'
import { readFile, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ok, type Result } from '../../../shared/result.ts'
import { replaceFile } from '../transcripts/atomic-file.ts'
import { codeOf } from '../transcripts/disk-failure.ts'
import type { Git } from './git-client.ts'

const pathFor = (worktree: string): string => `${worktree}.exclude`

/** The file of a worktree; null: it has none, and the user's own list holds. */
export function excludesFileOf(worktree: string): string | null {
  const path = pathFor(worktree)
  return existsSync(path) ? path : null
}

/**
 * Writes the list of a worktree. Throws what the disk says.
 * @param options.configHome `$XDG_CONFIG_HOME`
 */
export async function writeExcludes(
  git: Git,
  worktree: string,
  {
    from,
    copied,
    configHome,
  }: { readonly from: string; readonly copied: readonly string[]; readonly configHome: string | undefined },
): Promise<Result<void>> {
  const users = await usersExcludes(git, from, configHome)
  if (!users.ok) return users
  const text = [users.value.trimEnd(), '# Copied into this worktree.', ...copied.map(patternFor), ''].join(
    '\n',
  )
  await replaceFile(pathFor(worktree), text, { durable: false })
  return ok(undefined)
}

export async function removeExcludes(worktree: string): Promise<void> {
  await unlink(pathFor(worktree)).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error
  })
}

/** A pattern that matches one path below the top. */
export function patternFor(path: string): string {
  // A line ends at a line break, so that one is matched by a sign for any letter.
  return `/${path
    .replace(/[\\*?[]/g, '\\$&')
    .replace(/[\n\r]/g, '?')
    .replace(/ $/, '\\ ')}`
}

async function usersExcludes(
  git: Git,
  folder: string,
  configHome: string | undefined,
): Promise<Result<string>> {
  const asked = await git.answers(
    folder,
    ['config', '--type=path', '--get-regexp', '^(core\\.excludesfile|troupe\\.excludes)$'],
    { accepts: [1], config: ['troupe.excludes=~/.config/git/ignore'] },
  )
  if (!asked.ok) return asked
  const named = new Map(
    asked.value.output
      .split('\n')
      .filter((line) => line !== '')
      .map((line): [string, string] => {
        const space = line.indexOf(' ')
        return [line.slice(0, space), line.slice(space + 1)]
      }),
  )
  const usual = configHome ? join(configHome, 'git', 'ignore') : named.get('troupe.excludes')
  const path = named.get('core.excludesfile') ?? usual
  return ok(path === undefined ? '' : await readFile(resolve(folder, path), 'utf8').catch(() => ''))
}
