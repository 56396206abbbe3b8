/** Reads hooks as settings files, plugins and definitions write them: event → matchers → hooks. */
import { z } from 'zod'
import { type HookDefinition, type HookEvent, hookEvents } from '../../../shared/hooks.ts'
import { readMatcher } from './matcher.ts'

/** Seconds. */
const TIMEOUT = 60
const LONGEST_TIMEOUT = 3600

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
])

export interface ReadHooks {
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
    const { timeout, failClosed, async } = read.data
    if (read.data['if'] !== undefined)
      problems.push(`${place}: "if" has no effect; the hook runs whenever its matcher applies.`)
    hooks.push({
      ...{ event, matcher, timeout, failClosed: failClosed ?? false, async },
      ...(failClosed === false && { failsOpen: true as const }),
      ...whatOf(read.data),
    })
  }
  return { hooks, problems }
}

function whatOf(hook: z.infer<typeof hookSchema>) {
  if (hook.type === 'command') {
    const { command, args } = hook
    const run = args === undefined ? command : [command, ...args].map(quoted).join(' ')
    return { kind: 'command' as const, run, headers: {} }
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
