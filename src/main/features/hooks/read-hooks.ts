/** Reads hooks as settings files, plugins and definitions write them: event → matchers → hooks. */
import { z } from 'zod'
import {
  type HookDefinition,
  type HookEvent,
  hookEventFacts,
  hookEvents,
} from '../../../shared/hooks/hooks.ts'
import { readMatcher } from '../../../shared/hooks/matcher.ts'
import { checkRule, refusalText } from '../../../shared/rules/rule-form.ts'
import { isRecord, jsonPlaces } from '../../platform/json/json-text.ts'

/** Seconds. */
const TIMEOUT = 60
const MODEL_TIMEOUT = 30
const LONGEST_TIMEOUT = 3600

/** The events of calls, at which `if` can be judged. */
const OF_CALLS: readonly HookEvent[] = [
  'PreToolUse',
  'PermissionRequest',
  'PermissionDenied',
  'PostToolUse',
  'PostToolUseFailure',
]

const groupSchema = z.looseObject({
  matcher: z.string().optional(),
  hooks: z.array(z.unknown()),
})

const timing = {
  // Some people write milliseconds.
  timeout: z
    .number()
    .positive()
    .transform((seconds) => Math.min(seconds, LONGEST_TIMEOUT))
    .default(TIMEOUT),
  failClosed: z.boolean().optional(),
  async: z.boolean().default(false),
  asyncRewake: z.boolean().default(false),
  if: z.string().trim().min(1).optional(),
  once: z.boolean().default(false),
  statusMessage: z.string().trim().max(200).optional(),
}
const judging = {
  prompt: z.string().trim().min(1),
  model: z.string().trim().min(1).optional(),
  ...timing,
}
const hookSchema = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('command'),
    command: z.string().trim().min(1),
    /** The command is a program with these arguments, and no shell reads them. */
    args: z.array(z.string()).optional(),
    ...timing,
  }),
  z.looseObject({
    type: z.literal('http'),
    url: z.url({ protocol: /^https?$/ }),
    headers: z.record(z.string(), z.string()).default({}),
    allowedEnvVars: z.array(z.string()).optional(),
    ...timing,
  }),
  z.looseObject({ type: z.literal('prompt'), ...judging, timeout: timing.timeout.default(MODEL_TIMEOUT) }),
  z.looseObject({ type: z.literal('agent'), ...judging }),
])

interface ReadHooks {
  readonly hooks: readonly HookDefinition[]
  /** Sentences for the user. */
  readonly problems: readonly string[]
}

/**
 * @param value the value of the key `hooks`
 * @param where names the place in problems: a path, or `the agent reviewer`
 */
export function readHooks(value: unknown, where: string): ReadHooks {
  if (value === undefined || value === null) return { hooks: [], problems: [] }
  if (!isObject(value))
    return { hooks: [], problems: [`${where}: "hooks" must be events, each with a list of hooks.`] }
  const hooks: HookDefinition[] = []
  const problems: string[] = []
  for (const [event, groups] of Object.entries(value)) {
    const place = `${where}: hooks of ${event}`
    if (!isEvent(event)) problems.push(`${place} don't run, because Troupe has no such event.`)
    else if (!Array.isArray(groups)) problems.push(`${place} must be a list.`)
    else
      for (const group of groups) {
        const read = readGroup(group, event, place)
        hooks.push(...read.hooks)
        problems.push(...read.problems)
      }
  }
  return { hooks, problems }
}

function readGroup(value: unknown, event: HookEvent, place: string): ReadHooks {
  // Some people write the hook itself where the group belongs.
  const isBare = isObject(value) && value['hooks'] === undefined
  const group = groupSchema.safeParse(isBare ? { ...value, hooks: [withType(value)] } : value)
  if (!group.success) return { hooks: [], problems: [`${place}: ${sentence(group.error)}`] }
  const { matcher = '', hooks: written } = group.data
  if (readMatcher(matcher) === null)
    return {
      hooks: [],
      problems: [`${place}: the matcher ${matcher} is not a valid regular expression, so they don't run.`],
    }
  const hooks: HookDefinition[] = []
  const problems: string[] = []
  for (const one of written) {
    const read = hookSchema.safeParse(one)
    if (!read.success) {
      problems.push(`${place}: one doesn't run. ${sentence(read.error)}`)
      continue
    }
    const obstacle = whyNot(read.data, event)
    if (obstacle !== null) {
      problems.push(`${place}: one doesn't run. ${obstacle}`)
      continue
    }
    const { timeout, failClosed, async, asyncRewake, once, statusMessage } = read.data
    const rule = read.data.if
    const form = rule === undefined ? null : checkRule(rule, 'deny')
    // A guard runs too often rather than not at all.
    if (rule !== undefined && form?.ok === false)
      problems.push(
        `${place}: "if" has no effect, so the hook runs whenever its matcher applies. ${refusalText(rule, form)}`,
      )
    if (asyncRewake)
      problems.push(
        `${place}: "asyncRewake" is read as "async": the agent is told at its next step, not woken.`,
      )
    if (read.data['shell'] === 'powershell')
      problems.push(`${place}: "shell" has no effect; the command runs in the shell of all commands.`)
    hooks.push({
      ...{ event, matcher, timeout, failClosed: failClosed ?? false, async: async || asyncRewake },
      ...(failClosed === false && { failsOpen: true as const }),
      ...(rule !== undefined && form?.ok && { if: rule }),
      ...(once && { once: true as const }),
      ...(statusMessage && { statusMessage }),
      ...whatOf(read.data),
    })
  }
  return { hooks, problems }
}

type WrittenHook = z.infer<typeof hookSchema>

/** Why a hook can't do what it says at this event; null: it can. */
function whyNot({ type, if: rule }: WrittenHook, event: HookEvent): string | null {
  if (rule !== undefined && !OF_CALLS.includes(event)) return '"if" is for events of calls.'
  if ((type === 'prompt' || type === 'agent') && hookEventFacts[event].blocks === '')
    return `Nothing follows from a verdict at ${event}, so nobody is asked for one.`
  return null
}

function whatOf(hook: WrittenHook) {
  if (hook.type === 'command') {
    const { command, args } = hook
    const run = args === undefined ? command : [command, ...args].map(quoted).join(' ')
    return { kind: 'command' as const, run, headers: {} }
  }
  if (hook.type !== 'http') {
    const { type, prompt, model } = hook
    return { kind: type, run: prompt, headers: {}, ...(model !== undefined && { model }) }
  }
  const { url, headers, allowedEnvVars } = hook
  const variables = allowedEnvVars === undefined ? {} : { headerVariables: allowedEnvVars }
  return { kind: 'http' as const, run: url, headers, ...variables }
}

/** One word for the shell, in which only the variables of hooks are replaced. */
function quoted(text: string): string {
  const word = text
    .replaceAll("'", `'\\''`)
    .replace(/\$\{(CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT)\}/g, (variable) => `'"${variable}"'`)
  return `'${word}'`
}

const withType = (value: Readonly<Record<string, unknown>>) =>
  value['type'] === undefined && value['command'] !== undefined ? { type: 'command', ...value } : value

const isEvent = (name: string): name is HookEvent => hookEvents.some((event) => event === name)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function sentence(error: z.ZodError): string {
  const [issue] = error.issues
  if (issue === undefined) return 'It is not valid.'
  const path = issue.path.join('.')
  return path === '' ? `${issue.message}.` : `"${path}": ${issue.message}.`
}

// The lines of hooks in settings files, for links to them.

/** @returns the line of a hook, counted from 1; undefined: the text does not have the hook as it is */
export function hookLines(
  hooks: unknown,
  text: string | undefined,
): (definition: Pick<HookDefinition, 'event' | 'matcher' | 'run'>) => number | undefined {
  if (text === undefined || !isRecord(hooks)) return () => undefined
  const places = jsonPlaces(text)
  const lines = new Map<string, number>()
  const add = (path: readonly (string | number)[], hook: unknown, matcher: unknown) => {
    const run = isRecord(hook) ? (hook['command'] ?? hook['url'] ?? hook['prompt']) : undefined
    const line = places.get(JSON.stringify(path))?.line
    if (typeof run === 'string' && line !== undefined)
      lines.set(lineKey({ event: String(path[1]), matcher: String(matcher ?? ''), run: run.trim() }), line)
  }
  for (const [event, groups] of Object.entries(hooks))
    for (const [at, group] of (Array.isArray(groups) ? groups : []).entries()) {
      if (!isRecord(group)) continue
      const { hooks: inGroup, matcher } = group
      if (Array.isArray(inGroup))
        for (const [index, hook] of inGroup.entries())
          add(['hooks', event, at, 'hooks', index], hook, matcher)
      else add(['hooks', event, at], group, matcher)
    }
  return (definition) => lines.get(lineKey(definition))
}

const lineKey = ({ event, matcher, run }: Record<'event' | 'matcher' | 'run', string>): string =>
  JSON.stringify([event, matcher, run])
