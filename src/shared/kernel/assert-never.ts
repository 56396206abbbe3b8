/** Ends an exhaustive `switch`: a missing case does not compile. Throws if it runs anyway. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`)
}
