/** The system prompt of a new agent: its definition's body, and what it should know of where it works. */
import { instructionsText, ownMemoryText } from '../memory/instruction-text.ts'
import type { AgentMemory, FolderFacts, LoadedDefinition, LoadedSkill } from '../ports.ts'
import { skillText } from '../tools/skill.ts'

export interface SystemPromptInput {
  readonly definition: Pick<LoadedDefinition, 'prompt' | 'reminder' | 'readOnly'>
  /** Those that are put before it at once, in the order in which they are named. */
  readonly skills: readonly LoadedSkill[]
  readonly facts: FolderFacts
  readonly memory: AgentMemory
  /** Of the tools it has: whether it can write to its memory. */
  readonly toolNames: readonly string[]
  /** The agent's folder, absolute; null: a worktree of its own, of which it is told with its task. */
  readonly cwd: string | null
  /** YYYY-MM-DD: no time, so that siblings share their prefix to the letter. */
  readonly date: string
}

export function buildSystemPrompt({
  definition,
  skills,
  facts,
  memory,
  toolNames,
  cwd,
  date,
}: SystemPromptInput): string {
  const parts = [
    definition.prompt.trim(),
    surroundings(facts, cwd, date),
    instructionsText(memory),
    ownMemoryText(memory, { readOnly: definition.readOnly, toolNames }),
    ...skills.map(skillText),
  ]
  if (definition.reminder !== null) parts.push(definition.reminder)
  return parts.filter((part) => part !== '').join('\n\n')
}

function surroundings(facts: FolderFacts, cwd: string | null, date: string): string {
  const git = !facts.isRepository
    ? 'no'
    : facts.gitBranch === null
      ? 'yes, no branch checked out'
      : `yes, on branch ${facts.gitBranch}`
  const place =
    cwd === null
      ? 'Folder: a git worktree of your own; you are told which with your task'
      : `Folder: ${cwd}\nGit repository: ${git}`
  return `# Where you work
${place}
Platform: ${facts.platform}
Date: ${date}`
}
