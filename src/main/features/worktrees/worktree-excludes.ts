/**
 * The excludes of a worktree: the user's own list and the files that were copied in. The list is beside the worktree,
 * as `<id>.exclude`, and replaces `core.excludesFile`. A worktree without copied files has none.
 */
import { existsSync } from 'node:fs'
import { readFile, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ok } from '../../../shared/kernel/result.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { replaceFile } from '../../platform/system/atomic-file.ts'
import { codeOf } from '../../platform/system/error-code.ts'
import type { WorktreeResult } from '../../runtime/ports/worktrees.ts'

const pathFor = (worktree: string): string => `${worktree}.exclude`

/** The excludes file of a worktree; null: it has none, and the user's own list applies. */
export function excludesFileOf(worktree: string): string | null {
  const path = pathFor(worktree)
  return existsSync(path) ? path : null
}

/**
 * Writes the excludes file. Throws errors of the disk.
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
): Promise<WorktreeResult<void>> {
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

/** A pattern that matches a single path. */
export function patternFor(path: string): string {
  // A pattern can't hold a line break: `?` matches it.
  return `/${path
    .replace(/[\\*?[]/g, '\\$&')
    .replace(/[\n\r]/g, '?')
    .replace(/ $/, '\\ ')}`
}

async function usersExcludes(
  git: Git,
  folder: string,
  configHome: string | undefined,
): Promise<WorktreeResult<string>> {
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
  const fallback = configHome ? join(configHome, 'git', 'ignore') : named.get('troupe.excludes')
  const path = named.get('core.excludesfile') ?? fallback
  return ok(path === undefined ? '' : await readFile(resolve(folder, path), 'utf8').catch(() => ''))
}
