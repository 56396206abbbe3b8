/** A tree with other entries, made without a checkout. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ok } from '../../../../shared/kernel/result.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import type { GitResult } from '../../../platform/git/git-failure.ts'
import type { GitFile } from '../../../platform/git/objects.ts'

/** A path of the new tree; null: the tree has no such file. */
export type TreeEdit = readonly [path: string, side: GitFile | null]

/** @param base a full id of a commit or a tree. @returns the new tree */
export async function editedTree(
  git: Git,
  folder: string,
  { base, edits }: { readonly base: string; readonly edits: readonly TreeEdit[] },
): Promise<GitResult<string>> {
  const temporary = await mkdtemp(join(tmpdir(), 'troupe-index-'))
  const environment = { GIT_INDEX_FILE: join(temporary, 'index') }
  try {
    const read = await git.run(folder, ['read-tree', base], { environment })
    if (!read.ok) return read
    // Removals first: a removed file may have the name of a new folder.
    const sorted = [...edits].sort(([, a], [, b]) => Number(a !== null) - Number(b !== null))
    const input = sorted
      .map(([path, side]) => `${side?.mode ?? '0'} ${side?.sha ?? '0'.repeat(base.length)}\t${path}\0`)
      .join('')
    const args = ['update-index', '--add', '--replace', '-z', '--index-info']
    const updated = await git.run(folder, args, { environment, input })
    if (!updated.ok) return updated
    const tree = await git.run(folder, ['write-tree'], { environment })
    return tree.ok ? ok(tree.value.trim()) : tree
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}
