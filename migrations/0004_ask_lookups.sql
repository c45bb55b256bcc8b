CREATE INDEX `asks_number` ON `asks` (`chat`,`number`);--> statement-breakpoint
CREATE INDEX `asks_card` ON `asks` (`card_id`);