/** The variables that interceptors set for the commands of agents. They live as long as the conversation is open. */

type Variables = Readonly<Record<string, string>>

export class HookVariables {
  private readonly parentOf: (agentId: string) => string | null
  private readonly set = new Map<string, Map<string, Variables>>()

  constructor(parentOf: (agentId: string) => string | null) {
    this.parentOf = parentOf
  }

  /** Replaces the variables that were set for the agent under this key. */
  replace(agentId: string, key: string, variables: Variables): void {
    const own = this.set.get(agentId) ?? new Map<string, Variables>()
    this.set.set(agentId, own)
    own.delete(key)
    own.set(key, variables)
  }

  /** Those of the agents above count too; the agent's own ones come before them. */
  of(agentId: string): Variables {
    const parent = this.parentOf(agentId)
    const above = parent === null ? {} : this.of(parent)
    return Object.assign({}, above, ...(this.set.get(agentId)?.values() ?? []))
  }
}
