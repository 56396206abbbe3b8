/** The running processes of a program, found by the home folder in their environment (on Linux). */
import { readdir, readFile } from 'node:fs/promises'
import { isRunning } from '../../../../platform/system/process-identity.ts'

/** @param known the program's own ids, which are asked where other processes' environments can't be read */
export async function processesWithHome(
  home: string,
  known: () => Promise<readonly number[]> = async () => [],
): Promise<readonly number[]> {
  if (process.platform !== 'linux')
    return filtered(await known(), (pid) => isRunning({ pid, start: 'unknown' }))
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  return filtered(all, async (pid) => {
    const variables = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
    return variables.split('\0').includes(`HOME=${home}`)
  })
}

async function filtered(
  pids: readonly number[],
  fits: (pid: number) => Promise<boolean>,
): Promise<readonly number[]> {
  const found = await Promise.all(pids.map(fits))
  return pids.filter((_, at) => found[at])
}
