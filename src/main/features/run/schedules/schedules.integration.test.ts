/** `troupe schedule …` with stand-ins for the timers of the system, whose scripts are started as a timer would. */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandLine } from '../../../testing/command-line.ts'

/** Programs that keep what they are told in files. */
async function machine({ systemd }: { readonly systemd: boolean }) {
  const cli = await commandLine()
  const base = join(cli.folder, '..')
  const bin = join(base, 'bin')
  mkdirSync(bin)
  const program = (name: string, script: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const table = join(base, 'crontab.txt')
  const calls = join(base, 'systemctl.txt')
  program('systemctl', systemd ? `echo "$*" >> '${calls}'` : 'echo "No bus" >&2; exit 1')
  program(
    'crontab',
    `case "$1" in -l) cat '${table}' 2>/dev/null || { echo "no crontab for me" >&2; exit 1; };; -) cat > '${table}';; esac`,
  )
  const environment = { PATH: `${bin}:${process.env['PATH']}` }
  return {
    ...{ cli, table, calls, units: join(cli.home, '.config/systemd/user') },
    run: (...args: readonly string[]) => cli.run(['schedule', ...args], environment),
    /** As the timer does: with hardly any variables, and not in the folder. */
    start: () =>
      execFileSync('/bin/sh', [join(cli.dataFolder, 'schedules/nightly/start.sh')], {
        env: { HOME: cli.home, PATH: '/usr/bin:/bin' },
        cwd: '/',
      }),
  }
}

const log = (dataFolder: string) => readFileSync(join(dataFolder, 'schedules/nightly/log.txt'), 'utf8')

describe('cron', () => {
  test('a schedule is added, started, listed and removed; other lines of the table stay', async () => {
    const { cli, table, run, start } = await machine({ systemd: false })
    writeFileSync(table, '# mine\n\n5 4 * * * backup')
    const scenario = await cli.scenario('steps:\n  - reply: Done at night.\n')
    const line = ['run', 'Look', '--scenario', scenario]
    const added = await run('add', 'nightly', 'daily 03:00', '--', ...line)
    expect(added, added.errors).toMatchObject({ code: 0 })
    expect(added.output).toMatch(/^nightly: daily 03:00, next .* 03:00, by cron\. In .*: run Look/)
    expect(added.errors).toBe(
      'troupe: This run has no limit of its own. --max-usd, --max-tokens or --max-minutes sets one.\n',
    )
    const own = /^0 3 \* \* \* \/bin\/sh \S+\/schedules\/nightly\/start\.sh # troupe-nightly-\w{8}$/
    const lines = readFileSync(table, 'utf8').split('\n')
    expect(lines).toEqual(['# mine', '', '5 4 * * * backup', expect.stringMatching(own), ''])
    start()
    expect(log(cli.dataFolder)).toContain('Done at night.')
    const listed = await run('list', '--json')
    expect(JSON.parse(listed.output)).toMatchObject({
      ...{ name: 'nightly', at: 'daily 03:00', line, timer: 'cron', folder: cli.folder },
      ...{ last: { exitCode: 0 }, running: false },
    })
    const conversations = await cli.run(['conversations', 'list', '--json'])
    expect(JSON.parse(conversations.output)).toMatchObject({ folder: cli.folder, title: 'Look' })
    expect((await run('list')).output).toMatch(/nightly +daily 03:00 .* exit code 0 /)
    expect(await run('remove', 'nightly')).toMatchObject({ code: 0 })
    expect(readFileSync(table, 'utf8')).toBe('# mine\n\n5 4 * * * backup\n')
    expect(existsSync(join(cli.dataFolder, 'schedules/nightly'))).toBe(false)
    expect((await run('list')).output).toContain('No schedules.')
  })

  test('a second schedule of the same name replaces the first', async () => {
    const { table, run } = await machine({ systemd: false })
    await run('add', 'nightly', 'daily 03:00', '--', 'run', 'x')
    const again = await run(
      'add',
      'nightly',
      'mon 4:00',
      '--',
      'best',
      'x',
      '--agents',
      'a,b',
      '--max-usd',
      '1',
    )
    expect(again.errors).toMatch(/^troupe: A timer does not have the variables of this shell\./)
    expect(readFileSync(table, 'utf8')).toMatch(/^0 4 \* \* 1 [^\n]+\n$/)
  })

  test('without any timer it says what another one must start', async () => {
    const cli = await commandLine()
    mkdirSync(join(cli.folder, 'empty'))
    const args = ['schedule', 'add', 'nightly', 'hourly', '--', 'run', 'x']
    const ended = await cli.run(args, { PATH: join(cli.folder, 'empty') })
    expect(ended.code).toBe(1)
    expect(ended.errors).toMatch(
      /neither a systemd of the user nor crontab\. Let another timer run: \/bin\/sh /,
    )
    expect((await cli.run(['schedule', 'list'])).output).toContain('No schedules.')
  })
})

test('a timer of systemd has its units, and they go with it', async () => {
  const { cli, calls, units, run, start } = await machine({ systemd: true })
  const scenario = await cli.scenario('steps:\n  - reply: Done.\n')
  await run('add', 'nightly', 'mon,thu 18:00', '--', 'run', 'x', '--scenario', scenario)
  const [unit = ''] = /troupe-nightly-\w{8}/.exec(readFileSync(calls, 'utf8')) ?? []
  expect(readFileSync(join(units, `${unit}.timer`), 'utf8')).toContain(
    'OnCalendar=Mon,Thu *-*-* 18:00:00\nPersistent=true',
  )
  expect(readFileSync(join(units, `${unit}.service`), 'utf8')).toMatch(
    /ExecStart=\/bin\/sh "\/.*\/start\.sh"/,
  )
  start()
  expect(JSON.parse((await run('list', '--json')).output)).toMatchObject({
    timer: 'systemd',
    last: { exitCode: 0 },
  })
  await run('remove', 'nightly')
  expect(readFileSync(calls, 'utf8').trim().split('\n').slice(-2)).toEqual([
    `--user disable --now ${unit}.timer`,
    '--user daemon-reload',
  ])
  expect(existsSync(join(units, `${unit}.timer`))).toBe(false)
})

test('a run that still works is not started again, and a failed one says so', async () => {
  const { cli, run } = await machine({ systemd: false })
  await run('add', 'nightly', 'hourly', '--', 'run', 'x', '--scenario', join(cli.folder, 'none.yaml'))
  const running = join(cli.dataFolder, 'schedules/nightly/running.json')
  writeFileSync(running, JSON.stringify({ pid: process.pid, start: 'unknown' }))
  expect(await run('run', 'nightly')).toMatchObject({
    ...{ code: 0, output: '' },
    errors: 'troupe: nightly still runs. It is not started a second time.\n',
  })
  // A killed run leaves this file.
  writeFileSync(running, JSON.stringify({ pid: process.pid, start: 'before.this' }))
  const failed = await run('run', 'nightly')
  expect(failed.code).toBe(2)
  expect(failed.errors).toContain('none.yaml')
  expect(JSON.parse((await run('list', '--json')).output)).toMatchObject({
    last: { exitCode: 2 },
    running: false,
  })
})

test.each([
  [['add', 'Nightly!', 'hourly', '--', 'run', 'x'], '"Nightly!" is not a name of a schedule.'],
  [['add', 'nightly', '3 am', '--', 'run', 'x'], '"3 am" is not a time of a schedule.'],
  [['add', 'nightly', 'hourly', '--', 'agents', 'list'], 'Unknown command "agents".'],
  [['add', 'nightly', 'hourly', '--', 'run'], 'The task is missing.'],
  [['add', 'nightly', 'hourly', '--', 'run', 'x', '--max-usd', '0'], '--max-usd must be'],
  [['add', 'nightly'], 'Give a name, a time and, after --, a command.'],
  [['run', 'nobody'], 'There is no schedule "nobody".'],
  [['remove', 'nobody'], 'There is no schedule "nobody".'],
])('troupe schedule %j is refused', async (args, message) => {
  const cli = await commandLine()
  const { code, errors } = await cli.run(['schedule', ...args])
  expect(errors).toContain(message)
  expect(code).toBe(message.startsWith('There is') ? 1 : 2)
})
