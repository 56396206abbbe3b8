/** The two IPC channels. Apart from the contract, so that the preload does not load all its schemas. */

/** Every command goes over this one. */
export const COMMAND_CHANNEL = 'troupe:command'
/** Hands the window the port over which deltas come. */
export const PORT_CHANNEL = 'troupe:port'
