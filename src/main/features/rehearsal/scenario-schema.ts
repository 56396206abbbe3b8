/** The schema of a scenario's YAML, with errors that name the line. */
import { type Document, isNode, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { type Failure, fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import { beyondYamlBounds } from '../../../shared/kernel/yaml-bounds.ts'
import { parseExpression } from './expression.ts'

/** Text to find, ignoring case; `/…/` is a regular expression. */
const pattern = z
  .string()
  .min(1)
  .superRefine((text, context) => {
    const problem = problemOf(text)
    if (problem !== null) context.addIssue({ code: 'custom', message: problem })
  })

/** An expression; `expression.ts` has the language. */
const expression = z.string().superRefine((text, context) => {
  try {
    parseExpression(text)
  } catch (thrown) {
    context.addIssue({ code: 'custom', message: messageOf(thrown) })
  }
})
const expressions = z.record(z.string(), expression)
/** By name an expression, or a list or table of plain values. */
const definitions = z.record(z.string(), z.union([expression, z.looseObject({}), z.array(z.unknown())]))

const milliseconds = z.number().nonnegative()
const times = z.union([z.number().int().positive(), z.literal('always')])

/** `3`, `2-5`, `4+`, or a list of such ranges. */
const turns = z.union([
  z.number().int().positive(),
  z.string().regex(/^\d+(-\d+|\+)?(\s*,\s*\d+(-\d+|\+)?)*$/),
])

const fault = z.union([
  z.strictObject({
    status: z.number().int().min(400).max(599),
    type: z.string().optional(),
    message: z.string().optional(),
    retryAfter: z.number().nonnegative().optional(),
    times: times.optional(),
  }),
  z.strictObject({
    overloaded: z.literal('in-stream'),
    message: z.string().optional(),
    times: times.optional(),
  }),
  z.strictObject({ cutAfter: z.number().int().nonnegative(), times: times.optional() }),
  z.strictObject({ stallAfter: z.number().int().nonnegative(), times: times.optional() }),
  z.strictObject({
    kind: z.enum(['hang-up', 'no-start', 'no-stop', 'repeated-block', 'unknown-events']),
    times: times.optional(),
  }),
])

const block = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ thinking: z.string() }),
  z.strictObject({
    tool: z.string().min(1),
    input: z.record(z.string(), z.unknown()).optional(),
    id: z.string().optional(),
    repeat: z.number().int().positive().max(1000).optional(),
  }),
])

const call = z.strictObject({
  tool: z.string().min(1),
  input: z.record(z.string(), z.unknown()).optional(),
  if: expression.optional(),
  each: expression.optional(),
})

const turn = z.strictObject({
  if: expression.optional(),
  let: expressions.optional(),
  thinking: z.string().optional(),
  text: z.string().optional(),
  calls: z.record(z.string(), call).optional(),
  reply: z.string().optional(),
})

const step = z
  .strictObject({
    if: expression.optional(),
    let: definitions.optional(),
    agent: pattern.optional(),
    turn: turns.optional(),
    when: pattern.optional(),
    model: pattern.optional(),
    tools: z.boolean().optional(),
    once: z.boolean().optional(),
    times: z.number().int().positive().optional(),
    reply: z.union([z.string(), z.array(block)]).optional(),
    turns: z.array(turn).min(1).optional(),
    unfinished: z.string().optional(),
    heard: z.string().optional(),
    stop: z.string().optional(),
    delay: milliseconds.optional(),
    silence: milliseconds.optional(),
    pace: z.literal('instant').optional(),
    cutInput: z.number().int().nonnegative().optional(),
    fault: fault.optional(),
  })
  .refine(({ reply, turns }) => (reply === undefined) !== (turns === undefined), {
    path: ['reply'],
    message: 'a step has either a reply or turns',
  })

const scenario = z.strictObject({
  name: z.string().optional(),
  /** Of a recording: the user's first message, which `troupe run` sends without a task. */
  task: z.string().optional(),
  /** Of a recording: the commit that was checked out. */
  commit: z.string().optional(),
  define: definitions.optional(),
  steps: z.array(step).min(1),
})

export type Scenario = z.infer<typeof scenario>
export type ScenarioStep = z.infer<typeof step>
export type ScenarioTurn = z.infer<typeof turn>
export type ScenarioBlock = z.infer<typeof block>
export type ScenarioFault = z.infer<typeof fault>

/** Parses a scenario. Failures have the type `scenario` and name the line. */
export function readScenario(text: string): Result<Scenario> {
  const lines = new LineCounter()
  const beyond = beyondYamlBounds(text)
  if (beyond !== null) return fail(problem(1, beyond))
  const document = parseDocument(text, { lineCounter: lines })
  const [broken] = document.errors
  if (broken !== undefined)
    return fail(
      problem(lines.linePos(broken.pos[0]).line, broken.message.split('\n')[0]?.replace(/:$/, '') ?? ''),
    )
  const parsed = scenario.safeParse(document.toJS(), { reportInput: true })
  if (parsed.success) return ok(parsed.data)
  const { path, message } = deepest(parsed.error.issues[0])
  const where = path.length === 0 ? '' : `${path.join('.')}: `
  return fail(problem(lineOf(document, path, lines), `${where}${message}`))
}

const problem = (line: number, message: string): Failure => ({
  type: 'scenario',
  message: `The scenario is wrong in line ${line}: ${message}`,
})

type Issue = z.core.$ZodIssue
type Location = { readonly path: readonly PropertyKey[]; readonly message: string }

/** For a union without a match, reports the error of the closest alternative. */
function deepest(issue: Issue | undefined): Location {
  if (issue === undefined) return { path: [], message: 'it is not a scenario' }
  if (issue.code === 'unrecognized_keys')
    return { path: [...issue.path, issue.keys[0] ?? ''], message: `unknown field "${issue.keys[0]}"` }
  if (issue.code !== 'invalid_union') return { path: issue.path, message: issue.message }
  const best = issue.errors
    .filter((issues) => !issues.some(isOtherKind))
    .map((issues) => deepest(issues[0]))
    .sort((a, b) => b.path.length - a.path.length)[0]
  return best === undefined
    ? { path: issue.path, message: 'no known form fits here' }
    : { path: [...issue.path, ...best.path], message: best.message }
}

/** Whether the alternative is a different form: its naming field is missing. */
const isOtherKind = (issue: Issue): boolean =>
  issue.code !== 'unrecognized_keys' && issue.path.length === 1 && issue.input === undefined

function lineOf(document: Document, path: readonly PropertyKey[], lines: LineCounter): number {
  for (let length = path.length; length >= 0; length--) {
    const node = document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
  }
  return 1
}

function problemOf(text: string): string | null {
  const source = regexSource(text)
  if (source === null) return null
  try {
    new RegExp(source, 'is')
    return null
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown)
  }
}

/** The text between the slashes, or null for a plain text pattern. */
export function regexSource(text: string): string | null {
  return text.length > 2 && text.startsWith('/') && text.endsWith('/') ? text.slice(1, -1) : null
}
