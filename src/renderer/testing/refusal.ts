/** What a made-up command says no with: words for a person, and a type for programs. */
export class Refusal extends Error {
  readonly type: string

  constructor(message: string, type = 'refused') {
    super(message)
    this.type = type
  }
}
