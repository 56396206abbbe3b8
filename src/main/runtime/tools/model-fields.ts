/** How the model sees a tool's fields, where calls may differ: those of other programs' tools with another name. */
import { z } from 'zod'

export interface ModelFields {
  /** Accepted, and not offered to the model. */
  readonly hidden?: readonly string[]
  /** Offered as required, although some calls leave them out. */
  readonly required?: readonly string[]
}

/** By the tool's schema. */
export const modelFields = z.registry<ModelFields>()
