/** `troupe schedule …` */
import { ok } from '../../../../shared/kernel/result.ts'
import { type Verbs, verb } from '../../../command-line.ts'
import { readCommandLine } from '../../../platform/command-line/command-table.ts'
import { spoken } from '../../../platform/command-line/terminal.ts'
import { asJson, usage } from '../../../platform/command-line/verb.ts'
import { runVerbs } from '../verbs.ts'
import { readScheduleTime } from './schedule-time.ts'

const example =
  'troupe schedule add nightly "daily 03:00" -- run "update the dependencies" --trust --max-usd 2'

/** What can be scheduled. */
const scheduled: Verbs = runVerbs.filter(({ words }) => words !== '')

const oneName = (action: string) => ({
  ...{ arguments: { name: 'NAME' }, misuse: `Give one name: troupe schedule ${action} NAME` },
})

export const scheduleVerbs: Verbs = [
  verb({
    words: 'schedule add',
    arguments: { name: 'NAME', at: 'TIME', line: 'LINE…' },
    summary:
      'let a timer of the system start troupe run or troupe best in this folder: "daily 03:00", "weekdays 9:30",\n"mon,thu 18:00", "hourly"; LINE is the command after `--`, without troupe',
    misuse: `Give a name, a time and, after --, a command. Example: ${example}`,
    refine: ({ name, at, line }) => {
      if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name))
        return usage(
          `"${name}" is not a name of a schedule. Use 1 to 40 lowercase letters, digits and dashes, such as nightly.`,
        )
      const time = readScheduleTime(at)
      if (!time.ok) return time
      const wanted = readCommandLine(scheduled, line)
      if (!wanted.ok) return wanted
      if (wanted.value.kind !== 'verb')
        return usage(`Schedule a command that runs a task. Example: ${example}`)
      const values = wanted.value.values as {
        readonly limits: object
        readonly scenario: string | null
        readonly rehearsal: boolean
      }
      return ok({
        ...{ name, time: time.value, line },
        isLimited: Object.keys(values.limits).length > 0,
        isKeyless: values.rehearsal || values.scenario !== null,
      })
    },
    run: async (root, wanted) => {
      const { addSchedule } = await import('./schedule-command.ts')
      return await addSchedule(wanted, { ...root, ...spoken({ json: false }) })
    },
  }),
  verb({
    words: 'schedule list',
    summary: 'list the schedules with their next and last run',
    options: asJson,
    run: async (root, options) => {
      const { listSchedules } = await import('./schedule-command.ts')
      return await listSchedules(options, { ...root, ...spoken(options) })
    },
  }),
  verb({
    words: 'schedule remove',
    summary: 'remove a schedule and its timer',
    ...oneName('remove'),
    run: async (root, values) => {
      const { removeSchedule } = await import('./schedule-command.ts')
      return await removeSchedule(values, { ...root, ...spoken({ json: false }) })
    },
  }),
  verb({
    words: 'schedule run',
    summary: 'run a schedule now, as its timer does',
    ...oneName('run'),
    run: async (root, values) => {
      const { runSchedule } = await import('./schedule-command.ts')
      return await runSchedule(values, { ...root, ...spoken({ json: false }) }, async (line) => {
        const wanted = readCommandLine(scheduled, line)
        if (!wanted.ok) return wanted
        return wanted.value.kind === 'verb'
          ? ok(await wanted.value.run(root))
          : usage('The schedule has no command. Add it again.')
      })
    },
  }),
]
