/** The folder of a running sandbox, below the system's folder for temporary files. It is named after its program. */
import { lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { identityOf, isRunning } from '../system/process-identity.ts'
import { removeLeftPlaceholders } from './placeholders.ts'

export interface SandboxFolder {
  readonly folder: string
  /** Mounted in place of missing files and folders. */
  readonly emptyFile: string
  readonly emptyFolder: string
}

/** Makes the folder of this program, after removing those of programs that were killed. */
export async function makeSandboxFolder(temp: string): Promise<SandboxFolder> {
  await sweepSandboxFolders(temp)
  const { pid, start } = await identityOf(process.pid)
  const folder = await mkdtemp(join(temp, `${PREFIX}${pid}-${start}-`))
  const emptyFolder = join(folder, 'empty')
  mkdirSync(emptyFolder)
  const emptyFile = join(folder, 'nothing')
  writeFileSync(emptyFile, '', { mode: 0o444 })
  return { folder, emptyFile, emptyFolder }
}

/** The name of a sandbox's own folder begins with this, and goes on with the program that owns it. */
const PREFIX = 'troupe-sandbox-'

/** Removes the folders of programs that were killed, and the placeholders that they left. */
async function sweepSandboxFolders(temp: string): Promise<void> {
  for (const name of await readdir(temp).catch(() => [])) {
    const [, pid = '', begun = ''] = /^troupe-sandbox-(\d+)-([a-z0-9.]+)-\w{6}$/i.exec(name) ?? []
    if (pid === '' || (await isRunning({ pid: Number(pid), start: begun }))) continue
    const folder = join(temp, name)
    const found = lstatSync(folder, { throwIfNoEntry: false })
    if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) continue
    removeLeftPlaceholders(folder)
    rmSync(folder, { recursive: true, force: true })
  }
}
