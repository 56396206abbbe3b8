/** A definition in the trash of deleted definitions. */
export interface TrashedDefinition {
  readonly trashId: string
  /** The name in its text; the file's stem if the text can't be read. */
  readonly name: string
  /** The absolute path that it was deleted from, and that a restore writes. */
  readonly file: string
  /** Milliseconds since the epoch. */
  readonly trashedAt: number
}

export interface DefinitionTrash {
  /** The folder of the trash on disk. */
  readonly folder: string
  /** The last deleted first. */
  readonly definitions: readonly TrashedDefinition[]
}
