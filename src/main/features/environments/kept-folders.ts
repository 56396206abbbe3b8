/**
 * What set-ups of worktrees made, kept as copies to be copied into other worktrees: `environments/shared/<key>` in the
 * data folder, a folder `files` and `kept.json`. Only Troupe writes there: agents and set-ups are in the sandbox. A copy
 * gets its name when it is whole, so that one that was cut off by a kill never counts.
 */
import {
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  statfs,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import { FILE_MODE, FOLDER_MODE } from '../../platform/system/atomic-file.ts'
import { exists } from '../../platform/system/exists.ts'
import { copyTree, filesHolding, replaceWords, type TreeSize, treeSize } from './copy-tree.ts'

export interface KeptFolders {
  /** Copies into a worktree what is kept under the first of these keys that is there. Null: none is. Fails with a reason. */
  bring(
    keys: readonly string[],
    worktree: string,
    signal: AbortSignal,
  ): Promise<Result<readonly string[] | null>>
  /** Keeps copies of paths of a worktree. Fails with a reason, as the end of a sentence. */
  keep(
    key: string,
    given: { readonly worktree: string; readonly paths: readonly string[] },
    signal: AbortSignal,
  ): Promise<Result<void>>
}

interface Kept {
  /** The worktree that it was made in. */
  readonly from: string
  /** Where in a worktree it belongs, in the order of its names `0`, `1`, … in `files`. */
  readonly paths: readonly string[]
  /** Below `files`: texts and links that hold the path of the worktree. */
  readonly holding: readonly string[]
  readonly size: TreeSize
}

/** Bytes of all that is kept. What was used longest ago goes first. */
const MOST_KEPT = 10 * 1024 ** 3
/** Bytes of the disk that stay free. */
const LEAST_FREE = 2 * 1024 ** 3
/** ms after which what nobody used is removed, and what is no longer being copied. */
const UNUSED = 14 * 24 * 3_600_000
const CUT_OFF = 3_600_000
const DRAFTS = 'drafts'

export function createKeptFolders(options: {
  readonly dataFolder: string
  readonly environment: Readonly<Record<string, string>>
  readonly newKey: () => string
  readonly now: () => number
  /** Bytes; 10 GB. */
  readonly most?: number
}): KeptFolders {
  const { environment, now, most = MOST_KEPT } = options
  const folder = join(options.dataFolder, 'environments', 'shared')
  const drafts = join(folder, DRAFTS)
  const infoOf = (key: string) => join(folder, key, 'kept.json')

  async function withDraft<T>(work: (draft: string) => Promise<Result<T>>): Promise<Result<T>> {
    const draft = join(drafts, options.newKey())
    try {
      await mkdir(draft, { recursive: true, mode: FOLDER_MODE })
      return await work(draft)
    } catch (thrown) {
      return fail({ type: 'io', message: messageOf(thrown), cause: thrown })
    } finally {
      await remove(draft)
    }
  }

  const remove = (path: string) => rm(path, { recursive: true, force: true }).catch(() => undefined)

  /** Out of the way first: another program may copy from it. */
  async function drop(key: string): Promise<void> {
    await mkdir(drafts, { recursive: true, mode: FOLDER_MODE })
    const away = join(drafts, options.newKey())
    await rename(join(folder, key), away).catch(() => undefined)
    await remove(away)
  }

  const read = async (key: string): Promise<Kept | null> => {
    const text = await readFile(infoOf(key), 'utf8').catch(() => null)
    return text === null ? null : ((jsonOrUndefined(text) as Kept | undefined) ?? null)
  }

  /** Removes what nobody used for long, and the oldest until there is room. @param bytes that are to be added from a draft */
  async function makeRoom(bytes: number, draft: string): Promise<void> {
    for (const name of await readdir(drafts).catch(() => [])) {
      if (join(drafts, name) === draft) continue
      const found = await stat(join(drafts, name)).catch(() => null)
      if (found !== null && now() - found.mtimeMs > CUT_OFF) await remove(join(drafts, name))
    }
    const kept: { readonly key: string; readonly bytes: number; readonly usedAt: number }[] = []
    for (const key of await readdir(folder).catch(() => [])) {
      const info = key === DRAFTS ? null : await read(key)
      const found = info === null ? null : await stat(infoOf(key)).catch(() => null)
      if (info !== null && found !== null) kept.push({ key, bytes: info.size.bytes, usedAt: found.mtimeMs })
    }
    kept.sort((a, b) => b.usedAt - a.usedAt)
    let sum = bytes
    for (const each of kept) {
      sum += each.bytes
      if (sum > most || now() - each.usedAt > UNUSED) await drop(each.key)
    }
  }

  return {
    async bring(keys, worktree, signal) {
      for (const key of keys) {
        const kept = await read(key)
        if (kept === null) continue
        const brought = await withDraft(async (draft) => {
          const files = join(draft, 'files')
          const [copied, size] = await Promise.all([
            copyTree(join(folder, key, 'files'), files, { environment, signal }),
            treeSize(join(folder, key, 'files')).catch(() => null),
          ])
          if (size?.entries !== kept.size.entries || size.bytes !== kept.size.bytes) {
            await drop(key)
            return fail({ type: 'changed', message: 'what was kept has changed, and was removed' })
          }
          if (!copied.ok) return copied
          await replaceWords(files, kept.holding, [
            [kept.from, worktree],
            [encodeURI(kept.from), encodeURI(worktree)],
          ])
          return moveInto(worktree, files, kept.paths)
        })
        if (!brought.ok) return brought
        await utimes(infoOf(key), now() / 1000, now() / 1000).catch(() => undefined)
        return ok(kept.paths)
      }
      return ok(null)
    },
    keep: (key, { worktree, paths }, signal) =>
      withDraft(async (draft) => {
        const sizes = await Promise.all(paths.map((path) => treeSize(join(worktree, path))))
        const bytes = sizes.reduce((sum, each) => sum + each.bytes, 0)
        if (bytes > most)
          return fail({ type: 'too-large', message: `it is larger than ${most / 1024 ** 3} GB` })
        await makeRoom(bytes, draft)
        const { bavail, bsize } = await statfs(draft)
        if (bavail * bsize < bytes + LEAST_FREE)
          return fail({ type: 'disk-full', message: 'the disk is nearly full' })
        const files = join(draft, 'files')
        await mkdir(files)
        for (const [index, path] of paths.entries()) {
          const copied = await copyTree(join(worktree, path), join(files, String(index)), {
            environment,
            signal,
          })
          if (!copied.ok) return copied
        }
        const words = [...new Set([worktree, encodeURI(worktree)])]
        const holding = await filesHolding(words, files, { environment, signal })
        if (!holding.ok) return holding
        const kept: Kept = { from: worktree, paths, holding: holding.value, size: await treeSize(files) }
        await writeFile(join(draft, 'kept.json'), JSON.stringify(kept), { mode: FILE_MODE })
        // Another program may have been faster.
        if (!(await exists(join(folder, key)))) await rename(draft, join(folder, key))
        return ok(undefined)
      }),
  }
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** Moves what was copied to its place. Nothing is replaced, and a link in the way is not followed. */
async function moveInto(worktree: string, files: string, paths: readonly string[]): Promise<Result<void>> {
  const top = await realpath(worktree)
  const moved: string[] = []
  try {
    for (const [index, path] of paths.entries()) {
      const target = join(top, path)
      if ((await realpath(dirname(target))) !== dirname(target) || (await isThere(target)))
        throw new Error(`${path} is there already`)
      await rename(join(files, String(index)), target)
      moved.push(target)
    }
    return ok(undefined)
  } catch (thrown) {
    for (const target of moved) await rm(target, { recursive: true, force: true })
    return fail({ type: 'io', message: messageOf(thrown), cause: thrown })
  }
}
