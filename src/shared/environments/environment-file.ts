/**
 * Reads `.troupe/environment.yaml`, the file of a repository with the commands of its worktrees. A mistake is named with
 * its file and line, and then nothing of the file counts.
 */
import { isNode, LineCounter, type ParsedNode, parseDocument } from 'yaml'
import { z } from 'zod'
import { fail, ok, type Result } from '../kernel/result.ts'
import {
  ENVIRONMENT_PATH,
  type EnvironmentCommands,
  type EnvironmentImage,
  type RunCommand,
} from './environment.ts'

const LONGEST_COMMAND = 8000

/** As the name of an image: that of the dev container. */
export const DEVCONTAINER = 'devcontainer'

/** What is in a file, with the lines of its values. */
export interface YamlFile {
  readonly value: unknown
  /** The line of a value, or of the nearest one around it, counted from 1. */
  line(path: readonly PropertyKey[]): number
}

/** YAML, or JSON with comments. Fails with the sentence for its first mistake. */
export function readYaml(name: string, text: string): Result<YamlFile> {
  const lines = new LineCounter()
  const isJson = name.endsWith('.json')
  try {
    const document = parseDocument(isJson ? plainJson(text) : text, {
      lineCounter: lines,
      uniqueKeys: !isJson,
    })
    const [error] = document.errors
    if (error !== undefined) {
      const [reason = ''] = error.message.split('\n')
      return wrong(name, lines.linePos(error.pos[0]).line, reason.replace(/ at line \d+, column \d+:?$/, ''))
    }
    const lineOf = (path: readonly PropertyKey[]): number => {
      for (let end = path.length; end >= 0; end--) {
        const node = end === 0 ? document.contents : document.getIn(path.slice(0, end), true)
        if (isNode(node)) return lines.linePos((node as ParsedNode).range?.[0] ?? 0).line
      }
      return 1
    }
    return ok({ value: document.toJS({ maxAliasCount: 100 }), line: lineOf })
  } catch (thrown) {
    return wrong(name, 1, thrown instanceof Error ? thrown.message : 'It is not valid')
  }
}

/** JSON without comments and tabs, of the same length, so that lines and columns stay. */
function plainJson(text: string): string {
  return text.replace(/"(?:\\.|[^"\\\n])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|\t/g, (part) =>
    part.startsWith('"') ? part : part.replace(/[^\n]/g, ' '),
  )
}

const wrong = (name: string, line: number, reason: string) =>
  fail({ type: 'bad-file', message: `${name}:${line}: ${reason.replace(/\.$/, '')}.` })

/** The first mistake of a value as a sentence with its line. */
export function mistakeOf(name: string, read: YamlFile, error: z.ZodError): Result<never> {
  const issue = worst(error.issues)
  if (issue === undefined) return wrong(name, 1, 'It is not valid')
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path
  return wrong(
    name,
    read.line(path),
    path.length === 0 ? issue.message : `"${path.join('.')}" ${issue.message}`,
  )
}

/** A misspelled key is also missing: its spelling is the mistake. */
function worst(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
  if (issue?.code !== 'invalid_key') return issue
  const [inner] = issue.issues
  return inner === undefined ? issue : { ...inner, path: issue.path }
}

const text = (what: string) =>
  z
    .string(`must be ${what}`)
    .trim()
    .min(1, 'must not be empty')
    .max(LONGEST_COMMAND, `has more than ${LONGEST_COMMAND} characters: put it into a script`)
    .refine((given) => !given.includes('\0'), 'has a NUL character')

const commands = z
  .union([text('a command').transform((one) => [one]), z.array(text('a command')).max(50)], {
    error: 'must be a command, or a list of commands',
  })
  .nullish()
  .transform((given) => given ?? [])

const unknownKey = (known: string) => ({
  error: (issue: { readonly code?: string | undefined }) =>
    issue.code === 'unrecognized_keys'
      ? `is not known here. Known are: ${known}`
      : `must have keys: ${known}`,
})

const server = z.strictObject(
  {
    command: text('a command'),
    portVariable: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable: PORT')
      .optional(),
    listens: z
      .int('must be a whole number from 1 to 65535')
      .min(1, 'must be from 1 to 65535')
      .max(65535, 'must be from 1 to 65535')
      .optional(),
  },
  unknownKey('command, portVariable, listens'),
)

/** Each run command has a port of the block. */
const MOST_SERVERS = 10
/** They are words of `troupe environments run` and of the log. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,29}$/i

const host = z
  .string('must be a host')
  .regex(
    /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/i,
    'is no host: write packages.example.com, or *.example.com',
  )

/** A path below the folder. */
const below = z
  .string('must be a path below the folder')
  .min(1, 'must not be empty')
  .refine((path) => !/^[/\\]|(^|\/)\.\.(\/|$)|\0/.test(path), 'must be a path below the folder')

const variables = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is no name of a variable'),
  z.coerce.string('must be a text'),
  'must be variables with their values',
)

const imageName = z
  .string('must be the name of an image')
  .regex(/^[a-z0-9][\w./:@-]{0,300}$/i, 'is no name of an image: write node:22')

const image = z
  .union(
    [
      imageName,
      z.strictObject(
        {
          name: imageName.optional(),
          build: below.optional(),
          context: below.default('.'),
          target: z.string('must be a text').max(200).optional(),
          args: variables.default({}),
          variables: variables.default({}),
        },
        unknownKey('name, build, context, target, args, variables'),
      ),
    ],
    { error: `must be the name of an image, "${DEVCONTAINER}", or have keys: name, build` },
  )
  .refine(
    (given) => typeof given === 'string' || (given.name === undefined) !== (given.build === undefined),
    'must have either "name" or "build"',
  )
  .optional()
const sharedPath = z
  .string('must be a folder')
  .trim()
  .min(1, 'must not be empty')
  .refine(
    (given) => !/^\/|(^|\/)\.\.(\/|$)|[*?]/.test(given),
    'is no folder in the repository: write dist, or web/dist',
  )
  .transform((given) => given.replace(/^\.\/|\/$/g, ''))

const fileSchema = z.strictObject(
  {
    image,
    setup: commands,
    run: z
      .union(
        [
          text('a command').transform((one) => ({ run: one })),
          z.record(
            z.string().regex(NAME, 'is no name: use up to 30 letters, digits, ".", "_" and "-"'),
            z.union([text('a command'), server], {
              error: 'must be a command, or have keys: command, portVariable, listens',
            }),
          ),
        ],
        { error: 'must be a command, or names with commands' },
      )
      .nullish()
      .transform((given) => Object.entries(given ?? {}))
      .refine((given) => given.length <= MOST_SERVERS, `has more than ${MOST_SERVERS} commands`),
    teardown: commands,
    hosts: z.array(host, 'must be a list of hosts').max(50).default([]),
    share: z.array(sharedPath, 'must be a list of folders').max(50).optional(),
  },
  unknownKey('image, setup, run, teardown, hosts, share'),
)

/** @param content of the file. Fails with `bad-file`: "FILE:LINE: what is wrong." */
export function readEnvironmentFile(content: string, name = ENVIRONMENT_PATH): Result<EnvironmentCommands> {
  const read = readYaml(name, content)
  if (!read.ok) return read
  const parsed = fileSchema.safeParse(read.value.value ?? {})
  if (!parsed.success) return mistakeOf(name, read.value, deepest(parsed.error))
  const { image: wanted, setup, run, teardown, hosts, share } = parsed.data
  return ok({
    ...(wanted !== undefined && { image: imageOf(wanted) }),
    ...{ setup, teardown, ...(share && { share }) },
    hosts: hosts.map((each) => each.toLowerCase()),
    run: run.map(([command, given]) => runCommand(command, given)),
  })
}

function imageOf(given: NonNullable<z.infer<typeof image>>): EnvironmentImage {
  if (typeof given === 'string') return { name: given, build: null, variables: {} }
  const { name = null, build, context, target = null, args } = given
  return {
    name,
    build: build === undefined ? null : { file: build, context, target, args },
    variables: given.variables,
  }
}

const runCommand = (name: string, given: string | z.infer<typeof server>): RunCommand =>
  typeof given === 'string'
    ? { name, command: given, portVariable: null, listens: null }
    : {
        ...{ name, command: given.command },
        ...{ portVariable: given.portVariable ?? null, listens: given.listens ?? null },
      }

/** Of a union, the mistake in the form that was meant: the one found farthest inside. */
function deepest(error: z.ZodError): z.ZodError {
  const [issue] = error.issues
  if (issue?.code !== 'invalid_union') return error
  const inner = issue.errors
    .flatMap((issues) => worst(issues) ?? [])
    .filter((one) => one.path.length > 0 || one.code === 'unrecognized_keys')
    .map((one) => ({ ...one, path: [...issue.path, ...one.path] }))
    .sort((a, b) => b.path.length - a.path.length)
  const [best] = inner
  return best === undefined ? error : deepest(new z.ZodError([best]))
}
