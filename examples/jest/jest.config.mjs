// The package is an ES module: start Jest with NODE_OPTIONS=--experimental-vm-modules.
export default { testMatch: ['**/*.test.mjs'], transform: {}, testTimeout: 30_000 }
