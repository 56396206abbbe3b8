/** The runner prints to stderr, so that stdout belongs to the program it runs. */
export function say(line) {
  process.stderr.write(`${line}\n`)
}

/** A step that cannot work: the missing thing, and the command to type. Shown without a stack. */
export class CannotContinue extends Error {
  constructor(missing, whatToType) {
    super(whatToType === undefined ? missing : `${missing}\n  ${whatToType}`)
    this.name = 'CannotContinue'
  }
}
