import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createStatusLineRunner,
  type StatusLineRunner,
  type StatusLineRunnerOptions,
} from './status-line-runner.ts'

let folder: string
const runners: StatusLineRunner[] = []

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-status-')))
})
afterEach(async () => {
  for (const runner of runners.splice(0)) await runner.stop()
  rmSync(folder, { recursive: true, force: true })
})

function runner(options: Partial<StatusLineRunnerOptions> = {}): StatusLineRunner {
  // A minute, so that a busy machine does not reach the time limit by accident.
  const made = createStatusLineRunner({
    elapsed: () => performance.now(),
    environment: process.env,
    limitMs: 60_000,
    ...options,
  })
  runners.push(made)
  return made
}

const run = (command: string, made = runner(), input = '{}') => made.run({ command, folder, input })

/** The processes listed in a file that are still alive. */
function alive(file: string): readonly number[] {
  const pids = readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean).map(Number)
  return pids.filter((pid) => {
    try {
      return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
    } catch {
      return false
    }
  })
}

async function until(what: () => boolean): Promise<void> {
  while (!what()) await delay(5)
}

describe('a command', () => {
  test('runs in the folder', async () => {
    expect(await run('pwd -P')).toMatchObject({
      ended: 'exit',
      exitCode: 0,
      output: `${folder}\n`,
      errors: '',
    })
  })

  test('prints only its own output: the shell reads no .bashrc', async () => {
    writeFileSync(join(folder, '.bashrc'), 'echo noise\n')
    // A program that is started from a menu has no SHLVL.
    const environment = { PATH: process.env['PATH'] ?? '', HOME: folder, SHELL: '/bin/bash' }
    expect(await run('echo mine', runner({ environment }))).toMatchObject({ output: 'mine\n' })
  })

  test('gets one line on its standard input', async () => {
    const input = JSON.stringify({ folder, branch: 'main', agents: { running: 2, waiting: 0 } })
    const { output } = await run('IFS= read -r line; printf "%s|" "$line"; cat', runner(), input)
    expect(output).toBe(`${input}|`)
  })

  test('may ignore its standard input', async () => {
    const ended = await run('echo done', runner(), `"${'x'.repeat(1_000_000)}"`)
    expect(ended).toMatchObject({ ended: 'exit', exitCode: 0, output: 'done\n' })
  })

  test('sees no API key and only allowed variables', async () => {
    const environment = {
      ...process.env,
      ANTHROPIC_API_KEY: 'secret-key',
      ANTHROPIC_AUTH_TOKEN: 'secret-token',
      GITHUB_TOKEN: 'secret-github',
      HOME: '/home/ada',
      TERM: undefined,
    }
    const { output } = await run('env', runner({ environment }))
    expect(output).not.toContain('secret')
    expect(output).toContain('HOME=/home/ada\n')
    expect(output).toContain('GIT_OPTIONAL_LOCKS=0\n')
    expect(output).toContain('TERM=xterm-256color\n')
  })

  test("runs in the user's shell, or a default if that is not a shell", async () => {
    const own = join(folder, 'own-shell')
    writeFileSync(own, '#!/bin/sh\necho "own: $2"\n', { mode: 0o755 })
    const shell = (path: string) => runner({ environment: { PATH: process.env['PATH'], SHELL: path } })
    expect((await run('echo hi', shell(own))).output).toBe('own: echo hi\n')
    for (const none of ['/usr/sbin/nologin', join(folder, 'gone'), 'relative'])
      expect((await run('echo hi', shell(none))).output).toBe('hi\n')
  })

  test('reports how it failed', async () => {
    expect(await run('echo no branch >&2; exit 3')).toMatchObject({ exitCode: 3, errors: 'no branch\n' })
    expect(await run('troupe-no-such-command')).toMatchObject({ ended: 'exit', exitCode: 127 })
    expect(await run('kill -9 $$')).toMatchObject({ ended: 'exit', exitCode: null })
  })

  test('that cannot start is reported and does not throw', async () => {
    expect(await runner().run({ command: 'true', folder: join(folder, 'gone'), input: '' })).toMatchObject({
      ended: 'not-started',
      errors: expect.stringContaining('ENOENT'),
    })
    expect(await run('echo \0')).toMatchObject({ ended: 'not-started' })
  })
})

describe('long output', () => {
  test('is cut after 4 KB, and the rest is drained so that the command can end', async () => {
    const ended = await run(`head -c 5000000 /dev/zero >&2 && yes | head -c 5000000 && exit 4`)
    expect(ended).toMatchObject({ ended: 'exit', exitCode: 4, output: 'y\n'.repeat(2048) })
    expect(ended.errors).toHaveLength(4096)
  })

  test('is never cut inside a character', async () => {
    const { output } = await run(`printf 'aa'; for i in $(seq 1 3000); do printf '€'; done`)
    expect(output).toBe(`aa${'€'.repeat(1364)}`)
  })
})

describe('the time limit', () => {
  test('ends the command and its children, even if they ignore signals', async () => {
    const command = `
      (trap '' TERM; echo $BASHPID >> pids; while :; do sleep 1; done) &
      sh -c 'echo $$ >> pids; exec sleep 1000' &
      echo $$ >> pids; echo partial; wait; sleep 1000`
    const bash = { SHELL: '/bin/bash', PATH: process.env['PATH'] }
    const ended = await run(command, runner({ environment: bash, limitMs: 2000, graceMs: 50 }))
    expect(ended).toMatchObject({ ended: 'too-slow', exitCode: null, output: 'partial\n' })
    expect(ended.ms).toBeGreaterThanOrEqual(1990)
    expect(readFileSync(join(folder, 'pids'), 'utf8').split('\n')).toHaveLength(4)
    expect(alive('pids')).toEqual([])
  })

  test('does not wait for a background child, which ends with its command', async () => {
    const ended = await run('sleep 1000 & echo $! > pids; echo quick')
    expect(ended).toMatchObject({ ended: 'exit', exitCode: 0, output: 'quick\n' })
    expect(alive('pids')).toEqual([])
  })
})

test('two commands never run at once', async () => {
  const made = runner()
  const command = 'mkdir busy || exit 9; sleep 0.4; rmdir busy'
  const codes = await Promise.all([1, 2].map(() => run(command, made)))
  expect(codes.map((one) => one.exitCode)).toEqual([0, 0])
})

describe('the end of the program', () => {
  test('ends the running command and starts no queued command', async () => {
    const made = runner()
    const running = run('echo $$ > pids; exec sleep 1000', made)
    const waiting = run('touch started', made)
    await until(() => existsSync(join(folder, 'pids')) && readFileSync(join(folder, 'pids'), 'utf8') !== '')
    await made.stop()
    expect(alive('pids')).toEqual([])
    expect(await running).toMatchObject({ exitCode: null })
    expect(await waiting).toMatchObject({ ended: 'not-started' })
    expect(readdirSync(folder)).toEqual(['pids'])
  })

  test('can kill the command at once', async () => {
    const made = runner()
    const running = run(`trap '' TERM; echo $$ > pids; while :; do sleep 1; done`, made)
    await until(() => existsSync(join(folder, 'pids')) && readFileSync(join(folder, 'pids'), 'utf8') !== '')
    made.stopNow()
    await running
    expect(alive('pids')).toEqual([])
  })
})
