/**
 * The commands of a folder's environment: from its own file, from what it has for other programs, and, for parts that no
 * file names, from what is there. Takes the texts of files, so that everything is known before anything is run. Loaded
 * when the commands of a folder are first read: its schemas take time to make.
 */
import { z } from 'zod'
import { fail, ok, type Result } from '../kernel/result.ts'
import { CONDUCTOR, DEVCONTAINERS, LAUNCH } from './command-files.ts'
import { readDevcontainerImage } from './devcontainer-image.ts'
import {
  ENVIRONMENT_PATH,
  type EnvironmentCommands,
  type FoundCommands,
  hasCommands,
  noCommands,
  type RunCommand,
} from './environment.ts'
import { DEVCONTAINER, mistakeOf, readEnvironmentFile, readYaml } from './environment-file.ts'
import { proposedCommands, type UsualRegistry } from './proposed-commands.ts'

/** @param files the texts of those of `COMMAND_FILES` that are there, by their path */
export function findCommands(files: ReadonlyMap<string, string>, usual: UsualRegistry): FoundCommands {
  const own = files.get(ENVIRONMENT_PATH)
  if (own !== undefined) {
    const read = readEnvironmentFile(own)
    const whole = read.ok ? withDevcontainer(read.value, files) : read
    return {
      commands: whole.ok ? whole.value : noCommands,
      sources: [ENVIRONMENT_PATH],
      isProposed: false,
      problems: whole.ok ? [] : [whole.failure.message],
    }
  }
  const parts: Part[] = []
  const problems: string[] = []
  for (const [name, reader] of READERS) {
    const content = files.get(name)
    if (content === undefined) continue
    const read = reader(name, content)
    if (!read.ok) problems.push(read.failure.message)
    else if (read.value.port !== undefined || hasCommands({ ...noCommands, ...read.value }))
      parts.push({ source: name, commands: read.value })
  }
  const proposed = proposedCommands(files, usual)
  const all = [...parts, ...proposed.map((part) => ({ ...part, isProposed: true }))]
  const setup = all.find(({ commands }) => (commands.setup?.length ?? 0) > 0)
  const run = all.find(({ commands }) => (commands.run?.length ?? 0) > 0)
  const teardown = all.find(({ commands }) => (commands.teardown?.length ?? 0) > 0)
  const port = parts.find((part) => part.commands.port !== undefined)?.commands.port
  const used = [setup, run, teardown].flatMap((part) => part ?? [])
  return {
    commands: {
      setup: setup?.commands.setup ?? [],
      run: run === undefined ? [] : at(run, port),
      teardown: teardown?.commands.teardown ?? [],
      hosts:
        setup === undefined ? [] : [...new Set(proposed.flatMap(({ commands }) => commands.hosts ?? []))],
    },
    sources: [...new Set(used.map(({ source }) => source))],
    isProposed: used.some((part) => part.isProposed === true),
    problems,
  }
}

/** With the image of the dev container, where the file asks for it. */
function withDevcontainer(
  commands: EnvironmentCommands,
  files: ReadonlyMap<string, string>,
): Result<EnvironmentCommands> {
  if (commands.image?.name !== DEVCONTAINER) return ok(commands)
  const name = DEVCONTAINERS.find((path) => files.has(path))
  if (name === undefined)
    return fail({
      type: 'bad-file',
      message: `${ENVIRONMENT_PATH}: The image is that of the dev container, and there is no ${DEVCONTAINERS.join(' or ')}.`,
    })
  const read = readDevcontainerImage(name, files.get(name) ?? '')
  return read.ok ? ok({ ...commands, image: read.value }) : read
}

/** What a reader gives. `port`: the only one that a dev container leads to. */
type Read = Partial<EnvironmentCommands> & { readonly port?: number | undefined }

/** What one file gives. */
interface Part {
  readonly source: string
  readonly commands: Read
  readonly isProposed?: boolean
}

/** A proposed server of which nothing says where it listens is behind the only port of the dev container. */
const at = ({ commands: { run = [] }, isProposed }: Part, port: number | undefined): readonly RunCommand[] =>
  isProposed === true && port !== undefined
    ? run.map((each) => (each.portVariable === null ? each : { ...each, portVariable: null, listens: port }))
    : run

type Reader = (name: string, content: string) => Result<Read>

const line = z.string().trim().max(8000)

/** An argument as one word of a shell. */
const word = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/** A reader of files with this schema. */
const reader =
  <T>(schema: z.ZodType<T>, give: (value: T) => Read): Reader =>
  (name, content) => {
    const read = readYaml(name, content)
    if (!read.ok) return read
    const parsed = schema.safeParse(read.value.value ?? {})
    return parsed.success ? ok(give(parsed.data)) : mistakeOf(name, read.value, parsed.error)
  }

const given = (command: string | undefined): readonly string[] =>
  command === undefined || command === '' ? [] : [command]

/** Its scripts expect `CONDUCTOR_PORT` and paths, which its commands get: see `environment-runner.ts`. */
const conductor = reader(
  z.looseObject({
    scripts: z
      .looseObject(
        { setup: line.optional(), run: line.optional(), archive: line.optional() },
        'must have keys',
      )
      .default({}),
  }),
  ({ scripts: { setup, run, archive } }) => ({
    setup: given(setup),
    run: given(run).map((command) => ({ name: 'run', command, portVariable: 'PORT', listens: null })),
    teardown: given(archive),
  }),
)

const launchEntry = z.looseObject({
  name: z.string('must be a name').trim().min(1).max(100),
  runtimeExecutable: line.optional(),
  runtimeArgs: z.array(z.string()).default([]),
  program: line.optional(),
  args: z.array(z.string()).default([]),
  port: z.int().min(1).max(65535).optional(),
  autoPort: z.boolean().optional(),
  cwd: line.optional(),
  env: z.record(z.string(), z.string()).default({}),
})

const launch = reader(
  z.looseObject({ configurations: z.array(launchEntry, 'must be a list').max(50).default([]) }),
  ({ configurations }) => {
    const names = new Set<string>()
    return {
      run: configurations.flatMap((entry): readonly RunCommand[] => {
        const command = launched(entry)
        if (command === null || names.size >= 10) return []
        const name = freeName(entry.name, names)
        // Without `autoPort` the server may not know of PORT and listen at the port that the file names.
        const listens = entry.autoPort === true ? null : (entry.port ?? null)
        return [{ name, command, portVariable: listens === null ? 'PORT' : null, listens }]
      }),
    }
  },
)

function launched(entry: z.infer<typeof launchEntry>): string | null {
  const { runtimeExecutable, runtimeArgs, program, args, env } = entry
  const called = runtimeExecutable ?? (program === undefined ? undefined : 'node')
  if (called === undefined || called === '') return null
  const words = [called, ...runtimeArgs, ...(program === undefined ? [] : [program]), ...args].map(word)
  const variables = Object.entries(env).flatMap(([name, value]) =>
    /^[A-Za-z_]\w*$/.test(name) ? [`${name}=${word(value)}`] : [],
  )
  const command = [...variables, ...words].join(' ')
  const folder = entry.cwd?.replace(/^\$\{workspaceFolder\}\/?/, '') ?? ''
  return folder === '' || folder === '.' ? command : `cd ${word(folder)} && ${command}`
}

/** A name that is a word, and not taken. */
function freeName(wanted: string, taken: Set<string>): string {
  const plain = wanted
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, 27)
  const base = plain === '' ? 'run' : plain
  let name = base
  for (let count = 2; taken.has(name); count++) name = `${base}-${count}`
  taken.add(name)
  return name
}

/** A text for the shell, words for a program, or several of these by name. */
const lifecycle = z
  .union(
    [line, z.array(z.string()), z.record(z.string(), z.union([line, z.array(z.string())])), z.null()],
    'must be a command',
  )
  .optional()
  .transform((command): readonly string[] => {
    if (command === undefined || command === null) return []
    const all = typeof command === 'string' || Array.isArray(command) ? [command] : Object.values(command)
    return all
      .map((one) => (typeof one === 'string' ? one : one.map(word).join(' ')))
      .filter((one) => one !== '')
  })

/** `initializeCommand` is for the machine outside of the container, the others are for each start of it. */
const devcontainer = reader(
  z.looseObject({
    onCreateCommand: lifecycle,
    updateContentCommand: lifecycle,
    postCreateCommand: lifecycle,
    forwardPorts: z.array(z.unknown()).optional().catch(undefined),
    portsAttributes: z.record(z.string(), z.unknown()).optional().catch(undefined),
  }),
  ({ onCreateCommand, updateContentCommand, postCreateCommand, forwardPorts, portsAttributes }) => {
    const [port, ...others] = forwardPorts ?? Object.keys(portsAttributes ?? {})
    return {
      setup: [...onCreateCommand, ...updateContentCommand, ...postCreateCommand],
      port:
        others.length === 0 && /^\d{4,5}$/.test(String(port)) && Number(port) < 65_536
          ? Number(port)
          : undefined,
    }
  },
)

const READERS: readonly (readonly [name: string, reader: Reader])[] = [
  [CONDUCTOR, conductor],
  [LAUNCH, launch],
  ...DEVCONTAINERS.map((name) => [name, devcontainer] as const),
]
