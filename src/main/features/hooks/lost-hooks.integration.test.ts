/** Hooks of a program that was killed. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createCommandOwner, endLostCommands } from '../../platform/shell/end-lost-commands.ts'
import { isRunning } from '../../platform/system/process-identity.ts'
import { createHookCommands } from './run-command-hook.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-lost-hooks-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const hook = {
  input: {},
  timeLimitMs: 60_000,
  signal: new AbortController().signal,
  environment: { PATH: process.env['PATH'] ?? '' },
}
const modulePath = (...path: readonly string[]) => JSON.stringify(join(import.meta.dirname, ...path))

test('are ended at the next start, also after setsid, and not while the program lives', async () => {
  const folder = newFolder()
  const pidFile = join(folder, 'pid')
  const command = `setsid sh -c 'echo $$ > ${pidFile}; exec sleep 60' & wait`
  const program = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `
        const { createHookCommands } = await import(${modulePath('run-command-hook.ts')})
        const { createCommandOwner } = await import(${modulePath('..', '..', 'platform', 'shell', 'end-lost-commands.ts')})
        const commands = createHookCommands(await createCommandOwner(${JSON.stringify(folder)}), () => performance.now())
        await commands.run({
          ...${JSON.stringify(hook)}, command: process.argv[1], cwd: ${JSON.stringify(folder)},
          signal: new AbortController().signal,
        })
      `,
      command,
    ],
    { stdio: 'ignore' },
  )
  const pidOf = () => (existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0)
  await expect.poll(pidOf).toBeGreaterThan(0)
  const pid = pidOf()
  await endLostCommands(folder, 500)
  expect(await isRunning({ pid, start: 'unknown' })).toBe(true)
  const gone = new Promise((resolve) => program.once('exit', resolve))
  program.kill('SIGKILL')
  await gone
  expect(await isRunning({ pid, start: 'unknown' })).toBe(true)
  await endLostCommands(folder, 500)
  expect(await isRunning({ pid, start: 'unknown' })).toBe(false)
  expect(readdirSync(join(folder, 'commands'))).toEqual([])
})

test('are noted for the next start only while they run', async () => {
  const folder = newFolder()
  const commands = createHookCommands(await createCommandOwner(folder), () => 0)
  const { stdout } = await commands.run({ ...hook, cwd: folder, command: 'ls commands | wc -l' })
  expect(stdout.trim()).toBe('1')
  await expect.poll(() => readdirSync(join(folder, 'commands'))).toEqual([])
})
