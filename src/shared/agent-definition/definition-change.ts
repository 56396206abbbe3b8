/** The difference between an agent's definition at its start and the definition now. */
export interface DefinitionChange {
  /** `same`; `changed`: the file is different; `gone`: no definition of this name can be started. */
  readonly kind: 'same' | 'changed' | 'gone'
  /** The changed parts, for display: "its prompt", "its tools". */
  readonly what: readonly string[]
}
