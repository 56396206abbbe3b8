/**
 * The timers of the system that start scheduled runs: those of the user's systemd, otherwise cron. Each starts a script
 * of the data folder, so that what it runs is in one place.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import { quotedWord } from '../../../platform/shell/quoted-word.ts'
import { codeOf } from '../../../platform/system/error-code.ts'
import { cronFields, onCalendar, type ScheduleTime } from './schedule-time.ts'

type TimerKind = 'systemd' | 'cron'

export interface SystemTimers {
  /** Sets the timer of a schedule, or changes it. Fails with `no-timer` or `timer`. */
  set(timer: {
    readonly name: string
    readonly time: ScheduleTime
    /** Absolute. */
    readonly script: string
  }): Promise<Result<TimerKind>>
  /** Removes the timer; nothing happens if it is gone. Fails with `timer`. */
  remove(name: string, kind: TimerKind): Promise<Result<void>>
}

/** @param place timers of other data folders have other names */
export function createSystemTimers(place: {
  readonly dataFolder: string
  readonly home: string
  readonly environment: Readonly<NodeJS.ProcessEnv>
}): SystemTimers {
  const { environment } = place
  const key = createHash('sha256').update(place.dataFolder).digest('hex').slice(0, 8)
  const units = join(environment['XDG_CONFIG_HOME'] ?? join(place.home, '.config'), 'systemd', 'user')
  const call = (program: string, args: readonly string[], input = '') =>
    run(program, args, { environment, input })
  const systemctl = (...args: readonly string[]) => call('systemctl', ['--user', ...args])
  const unitOf = (name: string) => `troupe-${name}-${key}`

  async function setUnit(timer: Parameters<SystemTimers['set']>[0]): Promise<Result<TimerKind>> {
    const unit = unitOf(timer.name)
    await mkdir(units, { recursive: true })
    await writeFile(join(units, `${unit}.service`), serviceText(timer))
    await writeFile(join(units, `${unit}.timer`), timerText(timer))
    const loaded = await systemctl('daemon-reload')
    const enabled = loaded.ok ? await systemctl('enable', '--now', `${unit}.timer`) : loaded
    return enabled.ok ? ok('systemd') : enabled
  }

  async function changeCron(name: string, line: string | null): Promise<Result<void>> {
    const read = await call('crontab', ['-l'])
    // Without a table, the program fails.
    if (!read.ok && !/no crontab/i.test(read.failure.message)) return read
    const mark = `# ${unitOf(name)}`
    const table = read.ok ? read.value.replace(/(?<=[^\n])$/, '\n') : ''
    const kept = table.replace(/^.*\n/gm, (one) => (one.trimEnd().endsWith(mark) ? '' : one))
    const written = await call('crontab', ['-'], line === null ? kept : `${kept}${line} ${mark}\n`)
    return written.ok ? ok(undefined) : written
  }

  return {
    async set(timer) {
      const hasUnits = (await systemctl('show-environment')).ok
      if (hasUnits) return await setUnit(timer)
      const command = `/bin/sh ${quotedWord(timer.script)}`.replaceAll('%', '\\%')
      const set = await changeCron(timer.name, `${cronFields(timer.time)} ${command}`)
      if (set.ok) return ok('cron')
      if (set.failure.type !== 'no-program') return set
      return fail({
        type: 'no-timer',
        message: `This system has neither a systemd of the user nor crontab. Let another timer run: /bin/sh ${quotedWord(timer.script)}`,
      })
    },
    async remove(name, kind) {
      if (kind === 'cron') return await changeCron(name, null)
      const unit = unitOf(name)
      await systemctl('disable', '--now', `${unit}.timer`)
      for (const end of ['timer', 'service']) await rm(join(units, `${unit}.${end}`), { force: true })
      const loaded = await systemctl('daemon-reload')
      return loaded.ok ? ok(undefined) : loaded
    },
  }
}

const serviceText = ({ name, script }: { readonly name: string; readonly script: string }) => `[Unit]
Description=Troupe: scheduled run ${name}

[Service]
Type=oneshot
ExecStart=/bin/sh ${unitWord(script)}
`

const timerText = ({ name, time }: { readonly name: string; readonly time: ScheduleTime }) => `[Unit]
Description=Troupe: times of the scheduled run ${name}

[Timer]
OnCalendar=${onCalendar(time)}
Persistent=true

[Install]
WantedBy=timers.target
`

/** A word as systemd reads it. */
const unitWord = (word: string): string =>
  `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`

/** ms. Both programs answer at once, or wait for something that will not come. */
const LONGEST = 20_000

function run(
  program: string,
  args: readonly string[],
  { environment, input }: { readonly environment: Readonly<NodeJS.ProcessEnv>; readonly input: string },
): Promise<Result<string>> {
  return new Promise((resolve) => {
    const options = { env: { ...environment, LC_ALL: 'C' }, timeout: LONGEST }
    const child = execFile(program, args, options, (error, output, errors) => {
      if (error === null) return resolve(ok(output))
      const type = codeOf(error) === 'ENOENT' ? 'no-program' : 'timer'
      const said = errors.trim() || error.message
      resolve(fail({ type, message: `${program} ${args.join(' ')} failed: ${said}` }))
    })
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}
