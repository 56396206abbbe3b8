/**
 * Ends commands in the background whose program died before it could end them. A program with such commands has a file
 * in `commands` of the data folder, so that other starts look at no processes.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import { identityOf, isRunning } from '../system/process-identity.ts'
import { endMarked } from './marked-processes.ts'

export interface CommandOwner {
  /** The first part of the marks of this program's commands. */
  readonly id: string
  /** Called before each command starts. */
  begin(): Promise<void>
  /** Called when a command has ended. */
  end(): Promise<void>
}

export async function createCommandOwner(dataFolder: string): Promise<CommandOwner> {
  const { pid, start } = await identityOf(process.pid)
  const id = `${pid}-${start}`
  const file = join(dataFolder, 'commands', id)
  const lock = new KeyedLock()
  let running = 0
  const update = () => lock.withLock(id, () => (running > 0 ? write(file) : rm(file, { force: true })))
  return {
    id,
    begin: () => {
      running++
      return update()
    },
    end: () => {
      running--
      return update()
    },
  }
}

async function write(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, '', { mode: 0o600 })
}

/** Ends the commands of programs that died. Resolves when they have ended; without any, it only lists a folder. */
export async function endLostCommands(dataFolder: string, graceMs = 2000): Promise<void> {
  const folder = join(dataFolder, 'commands')
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const [, pid = '', start = ''] = /^(\d+)-([a-z0-9.]+)$/i.exec(name) ?? []
    if (pid === '' || (await isRunning({ pid: Number(pid), start }))) continue
    await endMarked((mark) => mark.startsWith(`${name}/`), graceMs)
    await rm(join(folder, name), { force: true })
  }
}
