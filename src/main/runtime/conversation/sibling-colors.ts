/** Chooses the colors of subagents, so that agents of one definition can be told apart. */
import { siblingColor } from '../../../shared/agent-definition/agent-color.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { LoadedDefinition } from '../ports.ts'

export class SiblingColors {
  /** By definition: the agents that started or are starting. */
  private readonly started = new Map<string, number>()
  private readonly states: () => Iterable<AgentState>

  /** `states`: all agents of the conversation, also those of earlier sessions. */
  constructor(states: () => Iterable<AgentState>) {
    this.states = states
  }

  /** The color of the next agent of this definition. The first agent has the definition's own color. */
  next({ name, color }: Pick<LoadedDefinition, 'name' | 'color'>): string {
    const before = this.started.get(name) ?? this.countOf(name)
    this.started.set(name, before + 1)
    return siblingColor({ color, name }, before)
  }

  private countOf(name: string): number {
    let count = 0
    for (const { definition, parentId } of this.states())
      if (parentId !== null && definition.name === name) count += 1
    return count
  }
}
