/** The surroundings of the edited definition, for completion, help and linting. */
import { type EditorState, Facet } from '@codemirror/state'
import type { DefinitionSurroundings } from '../surroundings.ts'

export const surroundingsFacet = Facet.define<DefinitionSurroundings>()

export function surroundingsOf(state: EditorState): DefinitionSurroundings | null {
  return state.facet(surroundingsFacet)[0] ?? null
}
