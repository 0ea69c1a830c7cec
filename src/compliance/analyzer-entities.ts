// What the entity types of a Presidio-compatible analyzer are here. Types that are missing say nothing of a person by
// themselves: dates, places, nationalities, addresses of pages, numbers of companies. Source: microsoft/presidio,
// docs/supported_entities.md at 004034b (MIT), read on 22 November 2026. Pure.
import type { DataKind } from "./detection/kinds.ts";

const KINDS_BY_ENTITY: Readonly<Record<string, DataKind>> = {
	AU_MEDICARE: "au_medicare",
	AU_TFN: "au_tfn",
	CREDIT_CARD: "credit_card",
	CRYPTO: "crypto_address",
	EMAIL_ADDRESS: "email",
	ES_NIE: "es_nie",
	ES_NIF: "es_nif",
	FI_PERSONAL_IDENTITY_CODE: "fi_hetu",
	IBAN_CODE: "iban",
	IN_AADHAAR: "in_aadhaar",
	IN_PAN: "in_pan",
	IN_PASSPORT: "passport",
	IN_VEHICLE_REGISTRATION: "vehicle_registration",
	IN_VOTER: "in_voter",
	IP_ADDRESS: "ip_address",
	IT_DRIVER_LICENSE: "driver_license",
	IT_FISCAL_CODE: "it_fiscal_code",
	IT_IDENTITY_CARD: "national_id",
	IT_PASSPORT: "passport",
	KR_DRIVER_LICENSE: "driver_license",
	KR_FRN: "national_id",
	KR_PASSPORT: "passport",
	KR_RRN: "kr_rrn",
	MAC_ADDRESS: "mac_address",
	/** Presidio's recognizer knows certificates of the Drug Enforcement Administration. */
	MEDICAL_LICENSE: "dea_number",
	PERSON: "person_name",
	PHONE_NUMBER: "phone",
	PL_PESEL: "pl_pesel",
	SG_NRIC_FIN: "sg_fin",
	TH_TNIN: "th_national_id",
	UK_NHS: "uk_nhs_number",
	UK_NINO: "uk_nino",
	US_BANK_NUMBER: "bank_account",
	US_DRIVER_LICENSE: "driver_license",
	US_ITIN: "us_itin",
	US_PASSPORT: "passport",
	US_SSN: "us_ssn",
};

/** The kind of an entity type; null if it counts for nothing. */
export function findEntityKind(entityType: string): DataKind | null {
	return Object.hasOwn(KINDS_BY_ENTITY, entityType) ? (KINDS_BY_ENTITY[entityType] ?? null) : null;
}
