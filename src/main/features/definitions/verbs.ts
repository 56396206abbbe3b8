/** `troupe agents …`, and the options that add agent definitions to a command. */
import { ok } from '../../../shared/kernel/result.ts'
import { type CommandLineRoot, type InFolder, inFolder, type Verbs, verb } from '../../command-line.ts'
import { missingFile } from '../../platform/command-line/given-paths.ts'
import { complain, EXIT, spoken } from '../../platform/command-line/terminal.ts'
import {
  asJson,
  checked,
  flag,
  ofFolder,
  readObject,
  repeatable,
  usage,
  valued,
} from '../../platform/command-line/verb.ts'
import type { CommandLineAgents } from './command-line-agents.ts'

/** Only the JSON syntax is checked here; the definitions are checked when they are read. */
const agentsOption = checked('JSON', 'more agents: {"name": {"description": "…", "prompt": "…"}}', (json) => {
  const read = readObject(json)
  return read.ok
    ? ok(json)
    : usage(
        `--agents must be JSON such as {"reviewer": {"description": "…", "prompt": "…"}}. ${read.failure.message} For a file use --agent-file.`,
      )
})

/** `--agent-file`. */
export const agentFileOption = repeatable('FILE', 'one more agent, from a file')

/** `--agents` and `--agent-file`. */
export const agentOptions = { agents: agentsOption, 'agent-file': agentFileOption }

/** The definitions of `agentOptions`. */
export const givenAgents = ({
  agents,
  agentFile,
}: {
  readonly agents: string | null
  readonly agentFile: readonly string[]
}): CommandLineAgents => ({ json: agents, files: agentFile })

const target = { ...ofFolder, ...agentOptions }

export const agentVerbs: Verbs = [
  verb({
    words: 'agents list',
    summary: 'list the agents in use here',
    options: { ...target, all: flag('also the others, with reasons') },
    misuse: ([name]) =>
      `Unexpected argument "${name}": troupe agents list takes no names. For one agent: troupe agents explain ${name}`,
    run: (root, options) =>
      withAgents(root, options, async (context) => {
        const { agentsList } = await import('./command-line/agents-list.ts')
        return await agentsList(options, context)
      }),
  }),
  verb({
    words: 'agents lint',
    arguments: { files: '[FILE…]' },
    summary: 'check the definitions here, or files',
    options: { ...target, fix: flag('apply the certain fixes') },
    refine: (options) =>
      options.files.includes('-')
        ? usage('troupe agents lint can’t read standard input. Use troupe agents read - instead.')
        : ok(options),
    run: (root, options) =>
      withAgents(root, options, async (context) => {
        const { agentsLint } = await import('./command-line/agents-lint.ts')
        return await agentsLint(options, context)
      }),
  }),
  verb({
    words: 'agents explain',
    arguments: { name: 'NAME' },
    summary: 'show an agent’s effective tools, model and limits',
    options: {
      ...target,
      background: flag('as a background agent'),
      depth: checked('N', 'at this depth (default: 1; 0: as the main agent)', (depth) =>
        /^\d$/.test(depth)
          ? ok(Number(depth))
          : usage(`--depth must be a number from 0 (a main agent) to 9, not "${depth}".`),
      ),
    },
    misuse: 'Give one agent: troupe agents explain NAME. Quote a name with spaces.',
    run: (root, options) =>
      withAgents(root, options, async ({ known, ...context }) => {
        const { agentsExplain } = await import('./command-line/agents-explain.ts')
        const { model: defaultModel, permissionMode: userMode } = context.settings
        const { models, runtime } = context.program
        const ofFolder = await runtime.toolsIn(context.folder)
        return await agentsExplain(options, {
          ...context,
          facts: { known, ofFolder, resolveModel: models.resolve, defaultModel, userMode },
        })
      }),
  }),
  verb({
    words: 'agents approve',
    arguments: { name: 'NAME' },
    summary: 'show a project’s agent that waits because it changed, and let it be used',
    options: ofFolder,
    misuse: 'Give one agent: troupe agents approve NAME. Quote a name with spaces.',
    run: (root, options) =>
      withAgents(root, { ...options, agents: null, agentFile: [] }, async (context) => {
        const { agentsApprove } = await import('./command-line/agents-list.ts')
        return await agentsApprove(options, context)
      }),
  }),
  verb({
    words: 'agents read',
    arguments: { files: 'FILE…' },
    summary: 'print definition files; a folder: all its *.md; -: standard input',
    options: { ...asJson, stem: valued('NAME', 'the file name for standard input') },
    misuse: 'Give files: troupe agents read FILE…, a folder, or - for standard input.',
    refine: (options) => {
      const fromInput = options.files.filter((file) => file === '-').length
      if (fromInput > 1) return usage('Standard input (-) can be read only once.')
      return fromInput === 0 && options.stem !== null
        ? usage('--stem names standard input. Give - as a file, too.')
        : ok(options)
    },
    // Does not load the runtime, because scripts call this for thousands of files.
    run: async (_, options) => {
      const speech = spoken(options)
      const { agentsRead } = await import('./command-line/agents-read.ts')
      return await agentsRead(options, { cwd: process.cwd(), input: process.stdin, ...speech })
    },
  }),
]

/** Composes the program with the definitions of the command line. */
async function withAgents(
  root: CommandLineRoot,
  options: Parameters<typeof inFolder>[1] & Parameters<typeof givenAgents>[0],
  work: (context: Awaited<ReturnType<typeof contextOf>>) => Promise<number>,
): Promise<number> {
  const agents = givenAgents(options)
  const missing = missingFile(agents)
  if (missing !== null) return complain(`File not found: ${missing}`, EXIT.usage)
  return await inFolder(root, options, async (composed) => work(await contextOf(composed)), { agents })
}

async function contextOf(composed: InFolder) {
  const { program, folder, trusted } = composed
  const { definitions, definitionFiles, files } = program
  const skills = await program.skills.list(folder, { trusted })
  const known = { tools: program.toolNames(), skills: skills.map(({ name }) => name), servers: [] }
  return { ...composed, definitions, definitionFiles, files, skills, known, cwd: process.cwd() }
}
