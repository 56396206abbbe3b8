/** The tools in an agent's requests. They start the cached prefix, so they change as little as possible. */
import type { ToolSchema } from '../../../shared/events/agent-event.ts'

type Descriptions = Readonly<Record<string, string>>

export class RequestTools {
  readonly schemas: readonly ToolSchema[]
  private readonly made: readonly unknown[]

  /** `added` follow the tools of the spawn, and replace those of the same name. `refused` are left out. */
  constructor(
    spawned: readonly ToolSchema[],
    descriptions: Descriptions,
    { added, refused }: { readonly added: readonly ToolSchema[]; readonly refused: ReadonlySet<string> },
  ) {
    this.made = [spawned, descriptions, added, refused]
    const replaced = spawned.map((tool) => added.find(({ name }) => name === tool.name) ?? tool)
    const described = replaced.map((tool) => {
      const description = descriptions[tool.name]
      return description === undefined ? tool : { ...tool, description }
    })
    const names = new Set(spawned.map(({ name }) => name))
    this.schemas = [...described, ...added.filter(({ name }) => !names.has(name))].filter(
      ({ name }) => !refused.has(name),
    )
  }

  /** Whether they were made of exactly these. */
  of(...parts: readonly unknown[]): boolean {
    return parts.every((part, index) => part === this.made[index])
  }
}
