/** Options of the source editor. */
import type { DefinitionSurroundings } from '../surroundings.ts'

export interface SourceOptions {
  readonly readOnly: boolean
  readonly surroundings: DefinitionSurroundings
  /** The accessible name of the text. */
  readonly label: string
}
