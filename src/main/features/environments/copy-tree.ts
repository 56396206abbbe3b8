/**
 * Copies folders with the system's `cp`, and finds the files that hold a path. A disk that can clones the content of
 * files, so that a copy takes no space until one of both is changed. Nothing is ever linked.
 */
import { execFile } from 'node:child_process'
import { lstatSync } from 'node:fs'
import { lstat, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'

export interface TreeTools {
  readonly environment: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** @param to does not exist. Fails with `io` and the words of the system, or `aborted`. */
export async function copyTree(from: string, to: string, tools: TreeTools): Promise<Result<unknown>> {
  if (process.platform !== 'darwin') return run('cp', ['-a', '--reflink=auto', '--', from, to], tools)
  const cloned = await run('cp', ['-Rpc', from, to], tools)
  if (cloned.ok || tools.signal.aborted) return cloned
  await rm(to, { recursive: true, force: true })
  return run('cp', ['-Rp', from, to], tools)
}

/** Texts that hold one of these words, and links that lead to one, below a folder. Fails with `io` or `aborted`. */
export async function filesHolding(
  words: readonly string[],
  folder: string,
  tools: TreeTools,
): Promise<Result<readonly string[]>> {
  const named = words.flatMap((word) => ['-e', word])
  const texts = await run('grep', ['-rlIF', '--null', '-D', 'skip', ...named, '--', folder], tools, [1])
  if (!texts.ok) return texts
  const patterns = words.flatMap((word, index) => [
    ...(index === 0 ? [] : ['-o']),
    '-lname',
    `${word.replace(/[\\*?[]/g, '\\$&')}*`,
  ])
  const links = await run('find', [folder, '-type', 'l', '(', ...patterns, ')', '-print0'], tools)
  if (!links.ok) return links
  const paths = `${texts.value}${links.value}`.split('\0').filter((path) => path !== '')
  return ok(paths.map((path) => relative(folder, path)))
}

/** Writes other words into texts and links, by pairs. Throws errors of the disk. */
export async function replaceWords(
  folder: string,
  paths: readonly string[],
  pairs: readonly (readonly [from: string, to: string])[],
): Promise<void> {
  // As bytes: the encoding of a file is not known.
  const bytes = pairs.map((pair) => pair.map((word) => Buffer.from(word).toString('latin1')))
  const other = (text: string, of: readonly (readonly string[])[]) =>
    of.reduce((now, [from = '', to = '']) => now.replaceAll(from, to), text)
  for (const path of paths) {
    const file = join(folder, path)
    const found = await lstat(file)
    if (found.isSymbolicLink()) {
      const target = other(await readlink(file), pairs)
      await rm(file)
      await symlink(target, file)
    } else {
      const text = other(await readFile(file, 'latin1'), bytes)
      await rm(file)
      await writeFile(file, text, { encoding: 'latin1', mode: found.mode & 0o777 })
    }
  }
}

/** @param accepts exit codes besides 0 */
function run(
  program: string,
  args: readonly string[],
  { environment, signal }: TreeTools,
  accepts: readonly number[] = [],
): Promise<Result<string>> {
  const options = { env: { ...environment, LC_ALL: 'C' }, signal, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((resolve) => {
    execFile(program, args, options, (error, output, errors) => {
      if (error === null || accepts.includes(Number(error.code))) return resolve(ok(output))
      if (signal.aborted) return resolve(fail({ type: 'aborted', message: 'It was stopped' }))
      const reason = /: ([^:\n]+)$/.exec(errors.trim().split('\n', 1)[0] ?? '')?.[1] ?? error.message
      resolve(fail({ type: 'io', message: reason.trim(), cause: error }))
    })
  })
}

export interface TreeSize {
  /** Files, links and folders. */
  readonly entries: number
  /** Of the content of files. */
  readonly bytes: number
}

/** Tells whether a copy is whole. Links are counted and not followed. Throws errors of the disk. @param folder or a file, or a link */
export async function treeSize(folder: string): Promise<TreeSize> {
  let entries = 0
  let bytes = 0
  const waiting: string[] = []
  const add = (path: string) => {
    // Synchronous: thread switches would take most of the time.
    const found = lstatSync(path)
    entries++
    if (found.isDirectory()) waiting.push(path)
    else if (found.isFile()) bytes += found.size
  }
  add(folder)
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop())
    for (const name of await readdir(path)) add(join(path, name))
  return { entries, bytes }
}
