/** The names by which other programs' rules, agents and models call this program's tools. */

const ALIASES: Readonly<Record<string, string>> = {
  task: 'Agent',
  multiedit: 'Edit',
  ls: 'Glob',
  todoread: 'TodoWrite',
  bashoutput: 'TaskOutput',
  agentoutputtool: 'TaskOutput',
  killshell: 'TaskStop',
  killbash: 'TaskStop',
}

/** All tools this program has or reserves, for names written in another case. */
const NAMES: ReadonlyMap<string, string> = new Map(
  [
    ...['Agent', 'Read', 'Write', 'Edit', 'NotebookEdit', 'Glob', 'Grep', 'Bash', 'WebFetch', 'WebSearch'],
    ...[
      'TodoWrite',
      'Skill',
      'SendMessage',
      'TeamCreate',
      'TeamDelete',
      'TaskCreate',
      'TaskUpdate',
      'TaskList',
    ],
    ...['SetPhase', 'MergeWorktree', 'TaskOutput', 'TaskStop', 'AskUserQuestion', 'ExitPlanMode'],
  ].map((name) => [name.toLowerCase(), name]),
)

/** This program's name of a tool; a name that is not known stays what it is. */
export function canonicalToolName(name: string): string {
  const key = name.toLowerCase()
  return (Object.hasOwn(ALIASES, key) ? ALIASES[key] : undefined) ?? NAMES.get(key) ?? name
}
