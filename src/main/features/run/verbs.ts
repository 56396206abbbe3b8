/** `troupe [FOLDER]`, `troupe run` and `troupe best`, and the options of all commands that work with a model. */
import { FEWEST_ATTEMPTS, MOST_ATTEMPTS } from '../../../shared/comparison/comparison.ts'
import type { WantedAttempt } from '../../../shared/comparison/contract.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import { permissionModes } from '../../../shared/permissions/permission-modes.ts'
import { readAmount } from '../../../shared/settings/limit-amounts.ts'
import { type Verbs, verb } from '../../command-line.ts'
import {
  checked,
  choice,
  flag,
  ofFolder,
  repeatable,
  usage,
  valued,
} from '../../platform/command-line/verb.ts'
import { agentFileOption, agentOptions, givenAgents } from '../definitions/verbs.ts'
import type { RunLimits } from './run-outcome.ts'

/** Permission rules. */
export const ruleOptions = {
  allow: repeatable('RULE', 'a permission rule for this run, such as "Bash(npm test)"'),
  deny: repeatable('RULE', 'a rule that denies'),
}

const startOptions = {
  ...ruleOptions,
  'mcp-config': repeatable('FILE', 'MCP servers for this run, as in .mcp.json'),
}

/** The options of a command that starts agents. */
export const modelOptions = {
  model: valued('M', 'haiku, sonnet, opus, fable, or a full id'),
  'permission-mode': choice('MODE', permissionModes.join(', '), {
    what: 'permission mode',
    words: permissionModes,
  }),
  ...startOptions,
  rehearsal: flag('no key, no model: a script surveys the folder'),
  scenario: valued('FILE', 'play a YAML scenario instead of calling a model'),
}

/** The main agent. */
export const mainAgentOption = valued('NAME', 'the main agent’s definition (default: main)')

/** The options of limits, which count for all agents of the conversation together. */
const limitOptions = {
  'max-tokens': limitOption('tokens', {
    help: 'tokens of the conversation, such as 500k; at a limit it reports and ends (exit code 4)',
    wanted: 'a whole number from 1, such as 500000 or 500k',
  }),
  'max-usd': limitOption('usd', {
    help: 'US dollars of the conversation, such as 0.50',
    wanted: 'US dollars above 0, such as 2 or 0.50',
  }),
  'max-minutes': limitOption('minutes', {
    help: 'minutes of the conversation',
    wanted: 'minutes above 0, such as 30 or 0.5',
  }),
}

function limitOption(
  kind: 'tokens' | 'usd' | 'minutes',
  { help, wanted }: { readonly help: string; readonly wanted: string },
) {
  return checked('N', help, (given) => {
    const amount = readAmount(kind, given)
    return amount === null || amount <= 0
      ? usage(`--max-${kind} must be ${wanted}, not "${given}".`)
      : ok(amount)
  })
}

interface GivenLimits {
  readonly maxTokens: number | null
  readonly maxUsd: number | null
  readonly maxMinutes: number | null
}

/** Only the limits given. */
const limitsOf = ({ maxTokens, maxUsd, maxMinutes }: GivenLimits): RunLimits => ({
  ...(maxTokens !== null && { tokens: maxTokens }),
  ...(maxUsd !== null && { usd: maxUsd }),
  ...(maxMinutes !== null && { ms: maxMinutes * 60_000 }),
})

/** The values of `modelOptions` as a run takes them. */
export function startValues<
  Given extends {
    readonly allow: readonly string[]
    readonly deny: readonly string[]
    readonly rehearsal: boolean
    readonly scenario: string | null
    readonly agents: string | null
    readonly agentFile: readonly string[]
  },
>({ allow, deny, agents, agentFile, ...values }: Given) {
  return values.rehearsal && values.scenario !== null
    ? usage('--rehearsal and --scenario exclude each other. Give only one.')
    : ok({ ...values, rules: { allow, deny }, agents: givenAgents({ agents, agentFile }) })
}

const json = flag('print one event per line, then a line with the result')
const example = 'troupe best "make the parser faster" --agents general-purpose,general-purpose=opus'
const noTask = (examples: string) => `The task is missing. Example: ${examples}`
const runExample = 'troupe run "find out why the build fails"'

export const runVerbs: Verbs = [
  verb({
    words: '',
    arguments: { folder: '[FOLDER]' },
    summary: 'open the window, for the folder',
    options: startOptions,
    misuse: 'Give one folder. To run a task, write troupe run TASK.',
    run: async (root, { folder, allow, deny, mcpConfig }) => {
      const { window } = await import('./open-window.ts')
      return await window(root, { folder, rules: { allow, deny }, mcpConfig })
    },
  }),
  verb({
    words: 'run',
    arguments: { task: '[TASK…]' },
    summary: 'run a task with a main agent and print its report; a recorded scenario has its own task',
    options: {
      ...ofFolder,
      agent: mainAgentOption,
      coordinator: flag('the main agent only plans, starts agents and merges their work'),
      'no-coordinator': flag('it does not, whatever the settings say'),
      ...modelOptions,
      'max-turns': checked('N', 'stop after N turns and ask for the report', (given) =>
        /^[1-9]\d{0,5}$/.test(given)
          ? ok(Number(given))
          : usage(`--max-turns must be a whole number from 1, not "${given}".`),
      ),
      ...limitOptions,
      until: checked('CMD', 'run this check after the report; while it fails, the agent goes on', (given) =>
        given.trim() === ''
          ? usage('--until is empty. Give a command, such as --until "npm test".')
          : ok(given),
      ),
      'output-schema': valued('FILE', 'print the report as JSON that is valid against this JSON Schema'),
      'max-rounds': checked(
        'N',
        'how often a failed check or a wrong report goes back (default: 5)',
        (given) =>
          /^\d{1,3}$/.test(given)
            ? ok(Number(given))
            : usage(`--max-rounds must be a whole number from 0 to 999, not "${given}".`),
      ),
      verify: flag('verify the changes afterwards; exit code 6 if the verification fails'),
      'wait-for-limit': flag('wait for the end of a usage limit of the API, however long it takes'),
      resume: valued('ID', 'resume a conversation or one of its agents'),
      continue: flag('resume the newest conversation of the folder'),
      'mark-folder': flag('mark the folder for bypassPermissions, for this run'),
      ...agentOptions,
      json,
    },
    misuse: noTask(runExample),
    refine: (values) => {
      const start = startValues(values)
      if (!start.ok) return start
      const { task: words, coordinator, noCoordinator, maxTokens, maxUsd, maxMinutes, ...given } = start.value
      const [own] = Object.entries({
        agent: given.agent,
        'max-turns': given.maxTurns,
        coordinator,
        'no-coordinator': noCoordinator,
      }).flatMap(([name, value]) => (value === null || value === false ? [] : [name]))
      const isResumed = given.resume !== null ? 'resume' : given.continue ? 'continue' : null
      if (own !== undefined && isResumed !== null)
        return usage(`--${own} is for a new conversation and can’t be combined with --${isResumed}.`)
      if (given.resume !== null && given.continue)
        return usage('--resume and --continue exclude each other. Give only one.')
      if (given.maxRounds !== null && given.until === null && given.outputSchema === null)
        return usage('--max-rounds counts the rounds of --until or --output-schema. Give one of them.')
      if (coordinator && noCoordinator)
        return usage('--coordinator and --no-coordinator exclude each other. Give only one.')
      if (coordinator && given.agent !== null)
        return usage('--coordinator and --agent exclude each other: coordinator mode has its own main agent.')
      const task = words.join(' ').trimEnd()
      if (task.trim() === '' && given.scenario === null) return usage(noTask(runExample))
      return ok({
        ...given,
        task,
        coordinator: coordinator ? true : noCoordinator ? false : null,
        limits: limitsOf({ maxTokens, maxUsd, maxMinutes }),
      })
    },
    run: async (root, options) => {
      const { runTask } = await import('./start-run.ts')
      return await runTask(root, options)
    },
  }),
  verb({
    words: 'best',
    arguments: { task: 'TASK…' },
    summary: 'give the task to several agents (2 to 8), each in its own git worktree, and compare them',
    options: {
      agents: valued(
        'LIST',
        'names with commas between, each with a model if you like: claude,general-purpose=opus',
      ),
      test: valued(
        'CMD',
        'the command that checks each result (default: what package.json or the like suggests)',
      ),
      'no-test': flag('check nothing'),
      'agent-file': agentFileOption,
      ...ofFolder,
      ...modelOptions,
      ...limitOptions,
      json,
    },
    misuse: noTask(example),
    refine: (values) => {
      const start = startValues({ ...values, agents: null })
      if (!start.ok) return start
      const { task: words, maxTokens, maxUsd, maxMinutes, ...given } = start.value
      const task = words.join(' ').trimEnd()
      if (task.trim() === '') return usage(noTask(example))
      const attempts = attemptsOf(values.agents)
      if (!attempts.ok) return attempts
      const { test, noTest } = given
      if (test !== null && noTest) return usage('--test and --no-test exclude each other. Give only one.')
      if (test?.trim() === '') return usage('--test is empty. Give a command, or use --no-test.')
      return ok({
        ...given,
        task,
        attempts: attempts.value,
        limits: limitsOf({ maxTokens, maxUsd, maxMinutes }),
      })
    },
    run: async (root, options) => {
      const { compareAgents } = await import('./start-run.ts')
      return await compareAgents(root, options)
    },
  }),
]

/** "claude,general-purpose=opus": the agents, each with a model where one is given. */
function attemptsOf(list: string | null): Result<readonly WantedAttempt[]> {
  if (list === null) return usage(`Say which agents get the task. Example: ${example}`)
  const attempts: WantedAttempt[] = []
  for (const part of list.split(',')) {
    const [agent = '', ...rest] = part.trim().split('=')
    const model = rest.join('=').trim()
    if (agent.trim() === '' || (rest.length > 0 && model === ''))
      return usage(`"${list}" is not a list of agents. Write NAME or NAME=MODEL, with commas between.`)
    attempts.push({ agent: agent.trim(), model: rest.length === 0 ? null : model })
  }
  return attempts.length < FEWEST_ATTEMPTS || attempts.length > MOST_ATTEMPTS
    ? usage(
        `Give ${FEWEST_ATTEMPTS} to ${MOST_ATTEMPTS} agents, not ${attempts.length}. The same one may be given several times.`,
      )
    : ok(attempts)
}
