/** Finds this program's tool under another program's name, or under a name in another case. */
import { ownToolNames, toolFacts } from './tool-facts.ts'

const NAMES: ReadonlyMap<string, string> = new Map(
  ownToolNames.flatMap((name) =>
    [name.toLowerCase(), ...(toolFacts(name)?.aliases ?? [])].map((other) => [other, name] as const),
  ),
)

/** This program's name for a tool. Unknown names are returned unchanged. */
export function canonicalToolName(name: string): string {
  return NAMES.get(name.toLowerCase()) ?? name
}

/** Whether calls of the tool start agents. */
export function startsAgents(name: string): boolean {
  return toolFacts(canonicalToolName(name))?.startsAgents ?? false
}
