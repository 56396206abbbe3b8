/** The error of a fake command: a message for the user, and a type for programs. */
export class Refusal extends Error {
  readonly type: string

  constructor(message: string, type = 'refused') {
    super(message)
    this.type = type
  }
}
