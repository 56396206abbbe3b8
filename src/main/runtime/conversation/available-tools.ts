/** The tools of a conversation at this moment: the built-in ones, and those of sources that come and go. */
import type { AnyTool } from '../ports/tool.ts'
import type { ConversationActions, ToolRegistry } from '../tools/tool-registry.ts'

export class AvailableTools {
  private readonly registry: ToolRegistry
  private readonly builtIn: readonly AnyTool[]
  private readonly folder: string

  constructor(registry: ToolRegistry, actions: ConversationActions, folder: string) {
    this.registry = registry
    this.folder = folder
    this.builtIn = registry.builtIn(actions)
  }

  /** In the order in which the model receives them. */
  all(): readonly AnyTool[] {
    return [...this.builtIn.filter((tool) => tool.isOffered?.() ?? true), ...this.registry.added(this.folder)]
  }

  /** Whether a source was there since the program started. */
  hasKnown(source: string): boolean {
    return this.registry.hasKnown(source)
  }

  /** Why the tools of a source are missing; continues a tool's name. */
  whyMissing(source: string): string {
    return this.hasKnown(source)
      ? `its source ${source} was removed. Continue without it`
      : `its source ${source} has not been added since Troupe was started. Continue without it, or ask the user to connect ${source}`
  }
}
