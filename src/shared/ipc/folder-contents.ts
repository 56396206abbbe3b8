/** What a folder brings for agents, counted without interpreting it, for the question whether to trust it. */
export interface FolderContents {
  readonly agents: number
  readonly skills: number
  readonly commands: number
  readonly hooks: number
  readonly mcpServers: number
  /** Files with instructions, relative to the folder: `CLAUDE.md`. */
  readonly instructions: readonly string[]
}
