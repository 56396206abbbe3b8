/** The two IPC channels. In a separate file, so that the preload does not load the contract's schemas. */

/** Carries every command. */
export const COMMAND_CHANNEL = 'troupe:command'
/** Gives the window the port for deltas. */
export const PORT_CHANNEL = 'troupe:port'
