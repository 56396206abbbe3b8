/** What the names in a definition mean, in a sentence: tools, models, agents, skills. */
import { canonicalToolName } from '../../../../shared/agent-definition/tool-names.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'

const TOOLS: Readonly<Record<string, string>> = {
  Read: 'Reads a file.',
  Write: 'Writes a whole file.',
  Edit: 'Changes a part of a file.',
  NotebookEdit: 'Changes a cell of a notebook.',
  Glob: 'Finds files by their names.',
  Grep: 'Searches in files.',
  Bash: 'Runs commands in a shell. A rule narrows it: Bash(git diff:*).',
  WebFetch: 'Reads a page of the web.',
  WebSearch: 'Searches the web.',
  Agent: 'Starts subagents. Names in brackets are the types it may start: Agent(Explore, Plan).',
  TodoWrite: 'Keeps a list of what is to be done.',
  Skill: 'Loads a skill by its name.',
  SendMessage: 'Writes to other agents.',
  AskUserQuestion: 'Asks the user. Only the main agent has it.',
  ExitPlanMode: 'Shows the plan to the user. Only the main agent has it.',
  TaskOutput: 'Reads what a task in the background has put out. Built-in agents only.',
  TaskStop: 'Stops a task in the background. Built-in agents only.',
}

const MODELS: Readonly<Record<string, string>> = {
  inherit: 'The model of its parent.',
  haiku: 'The fastest, for reading and searching.',
  sonnet: 'For most work.',
  opus: 'For hard work.',
  fable: 'For the hardest work.',
}

/** A tool's name, with or without a rule; also a server's, `mcp__github`, or one of its tools. */
export function toolHelp(entry: string, { library }: DefinitionSurroundings): string | null {
  const bare = entry.replace(/\(.*$/s, '').trim()
  if (bare === '*') return 'All tools.'
  const name = canonicalToolName(bare)
  const known = TOOLS[name] ?? null
  if (known !== null) return name === bare ? known : `${name}: ${known}`
  const [, server, tool] = /^mcp__((?:(?!__).)+)(?:__(.+))?$/s.exec(bare) ?? []
  if (server === undefined) return null
  const state = library.servers.includes(server) ? '' : ', which is not connected'
  return tool === undefined
    ? `All tools of the MCP server ${server}${state}.`
    : `The tool ${tool} of the MCP server ${server}${state}.`
}

export function modelHelp(model: string, { models }: DefinitionSurroundings): string | null {
  return MODELS[model.toLowerCase()] ?? models.find(({ id }) => id === model)?.name ?? null
}

export function skillHelp(name: string, { library }: DefinitionSurroundings): string | null {
  return library.skills.find((skill) => skill.name === name)?.description ?? null
}
